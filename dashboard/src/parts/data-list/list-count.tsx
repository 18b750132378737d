import { ArrowUp } from 'lucide-react';
import type { ListCount } from './data-list.tsx';

/** The number of rows, next to the title of a list, and a button for those that arrived since. */
export function ListCountText({ count, isFiltered = false }: { count: ListCount | undefined; isFiltered?: boolean }) {
  if (count === undefined) return null;
  return (
    <>
      <span className="whitespace-nowrap text-text-2 tabular-nums max-md:hidden">
        {count.rows.toLocaleString('en-US')}
        {count.isMore && '+'}
        {isFiltered && ' match'}
      </span>
      <NewRows fresh={count.fresh} onShow={count.showNew} />
    </>
  );
}

/** Shows the rows that arrived since; they wait so that nothing moves under the pointer. */
export function NewRows({ fresh, onShow }: { fresh: number; onShow: () => void }) {
  if (fresh === 0) return null;
  return (
    <button
      type="button"
      onClick={onShow}
      className="flex h-5 shrink-0 items-center gap-0.75 rounded-full bg-accent-soft pr-2 pl-1.5 text-12 font-medium whitespace-nowrap text-accent"
    >
      <ArrowUp size={12} strokeWidth={2.25} aria-hidden="true" />
      {fresh} new
    </button>
  );
}
