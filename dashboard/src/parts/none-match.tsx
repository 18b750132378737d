import { useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { Empty } from './empty.tsx';

/** Stands in place of a list that has no rows because of its filters, whose names these are: the way out is at hand. */
export function NoneMatch({ filters, title, why }: { filters: readonly string[]; title?: string; why?: string }) {
  const t = useTexts();
  const [, change] = useAddress();
  return (
    <Empty title={title ?? t.list.noneMatch}>
      <p>{why ?? t.list.noneMatchWhy}</p>
      <button
        type="button"
        className="button"
        onClick={() => change(Object.fromEntries(filters.map((name) => [name, ''])))}
      >
        {t.list.clear}
      </button>
    </Empty>
  );
}
