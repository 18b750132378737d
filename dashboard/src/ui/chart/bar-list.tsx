import type { ReactNode } from 'react';
import { roundShareText } from './numbers.ts';
import { countText } from '../../lib/format.ts';
import { type ChartTone, groundOf } from './series.ts';

export type BarListRow = {
  key: string;
  /** What is counted: a code badge. */
  name: ReactNode;
  count: number;
  tone: ChartTone;
};

/** Shows how often each thing occurred, with its share of the total. */
export function BarList({
  rows,
  total,
  label,
  onPick,
}: {
  rows: readonly BarListRow[];
  /** The total, if the list shows only the most frequent. */
  total?: number;
  label: string;
  onPick?: ((key: string) => void) | undefined;
}) {
  const all = total ?? rows.reduce((sum, { count }) => sum + count, 0);
  const className = 'col-span-4 grid h-8.5 w-full grid-cols-subgrid items-center text-right tabular-nums';
  return (
    <ul aria-label={label} className="grid grid-cols-[minmax(64px,max-content)_minmax(0,1fr)_52px_46px] gap-x-2">
      {rows.map(({ key, name, count, tone }) => {
        const shown = (
          <>
            <span className="min-w-0 justify-self-start text-left">{name}</span>
            <span aria-hidden="true" className="h-2 overflow-hidden rounded-[2px] bg-pending-soft">
              <span
                className={`block h-full rounded-[2px] ${groundOf(tone)}`}
                style={{ width: `${(count / Math.max(1, all)) * 100}%`, minWidth: count > 0 ? 1 : 0 }}
              />
            </span>
            <span>{countText(count)}</span>
            <span className="text-text-3">{roundShareText(count, all)}</span>
          </>
        );
        return (
          <li key={key} className="contents">
            {onPick === undefined ? (
              <span className={className}>{shown}</span>
            ) : (
              <button type="button" className={`${className} rounded-4 hover:bg-hover`} onClick={() => onPick(key)}>
                {shown}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
