import { ChartColumn, Table2 } from 'lucide-react';
import { IconButton } from '../button.tsx';
import { countText } from '../../lib/format.ts';
import { spanText } from './times.ts';
import type { TakeSpan } from './use-pointing.ts';
import { type ChartData, viewOf } from './view.ts';

/** Switches between a chart and its table. */
export function TableToggle({ isTable, onChange }: { isTable: boolean; onChange: (isTable: boolean) => void }) {
  return (
    <IconButton
      size="small"
      icon={isTable ? ChartColumn : Table2}
      label={isTable ? 'View as chart' : 'View as table'}
      onClick={() => onChange(!isTable)}
    />
  );
}

/** Shows the values of a chart as a table, as high as the chart and scrolling. The newest step comes first. */
export function ChartTable({
  label,
  height,
  format = countText,
  onPick,
  ...data
}: ChartData & { label: string; height: number; format?: (value: number) => string; onPick?: TakeSpan | undefined }) {
  const { kind, zone = 'utc', now = Date.now() } = data;
  const view = viewOf(data, false);
  const series = view.series.toReversed();
  const isEmpty = (value: number | undefined): boolean => (kind === 'bars' ? (value ?? 0) === 0 : value === undefined);
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="overflow-auto rounded-8 border border-line-strong"
      style={{ height: height + 20 }}
    >
      <table className="w-full border-collapse text-12 tabular-nums">
        <thead>
          <tr className="sticky top-0 h-7 bg-sunken text-text-3">
            <th scope="col" className="px-3 text-left font-normal">
              Time
            </th>
            {series.map((each) => (
              <th key={each.key} scope="col" className="px-3 text-right font-normal">
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {view.times
            .map((from, at) => {
              const to = from + view.stepSeconds * 1_000;
              const text = spanText(from, to, zone, now);
              return (
                <tr key={from} className="h-7 border-t border-line">
                  <th scope="row" className="px-3 text-left font-normal whitespace-nowrap">
                    {onPick === undefined ? (
                      text
                    ) : (
                      <button
                        type="button"
                        className="rounded-4 hover:underline"
                        onClick={() => onPick(new Date(from).toISOString(), new Date(to).toISOString())}
                      >
                        {text}
                      </button>
                    )}
                  </th>
                  {series.map(({ key, values }) => (
                    <td key={key} className="px-3 text-right">
                      {isEmpty(values[at]) ? (
                        <span className="text-text-3">{kind === 'bars' ? '0' : '—'}</span>
                      ) : (
                        format(values[at] ?? 0)
                      )}
                    </td>
                  ))}
                </tr>
              );
            })
            .toReversed()}
        </tbody>
      </table>
    </div>
  );
}
