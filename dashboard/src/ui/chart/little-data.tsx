import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { lengthText, spanText } from './times.ts';
import type { Zone } from '../../lib/zone-times.ts';
import type { ChartView } from './view.ts';

const HOUR = 3_600_000;

/**
 * A sentence instead of a chart with one or two bars: "12 attempts, all in the last minute. 11 delivered, 1 failed".
 */
export function FewBars({
  label,
  view,
  kind,
  format,
  noun,
  few,
  height,
  isEndNow,
  onLastHour,
  zone,
  now,
}: {
  label: string;
  view: ChartView;
  kind: 'bars' | 'lines';
  format: (value: number) => string;
  noun: string;
  few?: ReactNode;
  height: number;
  isEndNow: boolean;
  onLastHour?: (() => void) | undefined;
  zone: Zone;
  now: number;
}) {
  // Counts are listed in the order of their bars; for measures the accented one comes first.
  const sums = (kind === 'bars' ? view.series : view.series.toReversed())
    .map(({ label: name, values }) => {
      const known = values.filter((value) => value !== undefined);
      const value = kind === 'bars' ? known.reduce((sum, each) => sum + each, 0) : Math.max(...known);
      return { name, value };
    })
    .filter(({ value }) => Number.isFinite(value) && value !== 0);
  const [first, last] = [view.times[view.filled[0] ?? 0] ?? 0, view.times[view.filled.at(-1) ?? 0] ?? 0];
  const end = last + view.stepSeconds * 1_000;
  const isLast = isEndNow && end >= view.to;
  const when = isLast
    ? `in the last ${lengthText((end - first) / 1_000)}`
    : betweenText(spanText(first, end, zone, now));
  const total = sums.reduce((all, { value }) => all + value, 0);
  const parts = sums.map((each) => ({ ...each, text: format(each.value) }));
  return (
    <div
      role="group"
      aria-label={label}
      className="flex flex-col items-start justify-center gap-2 text-text-2"
      style={{ height }}
    >
      <p>
        {few ?? (
          <>
            <strong className="mr-2 text-24 font-medium tracking-tight text-text tabular-nums">
              {format(kind === 'bars' ? total : (sums[0]?.value ?? 0))}
            </strong>
            {kind === 'bars'
              ? countsText(noun, { total, when, parts, isOfOne: view.series.length === 1 })
              : measuresText(when, parts)}
          </>
        )}
      </p>
      {onLastHour !== undefined && isLast && end - first <= HOUR && (
        <Button size="small" onClick={onLastHour}>
          Show the last hour
        </Button>
      )}
    </div>
  );
}

/** Returns a text such as `between 11:45 and 12:00` or `on 27 Nov`. */
const betweenText = (span: string): string =>
  span.includes('–') ? `between ${span.replace(/ ?– ?/, ' and ')}` : `on ${span}`;

type Part = { name: string; value: number; text: string };

function countsText(
  noun: string,
  { total, when, parts, isOfOne }: { total: number; when: string; parts: readonly Part[]; isOfOne: boolean },
): string {
  if (isOfOne && total > 1) return `${noun}, all ${when}`;
  if (total === 1) return `${noun.replace(/ies$/, 'y').replace(/s$/, '')} ${when}. ${parts[0]?.name ?? ''}`;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return `${noun}, all ${when}. All ${lower(only.name)}`;
  return `${noun}, all ${when}. ${parts.map(({ name, text }) => `${text}\u00a0${lower(name)}`).join(', ')}`;
}

const measuresText = (when: string, [first, ...others]: readonly Part[]): string =>
  `${first?.name ?? ''} ${when}${others.map(({ name, text }) => `, ${name}\u00a0${text}`).join('')}`;

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Says that only a part of the range is shown, with a button for the whole range and back. */
export function Zoomed({
  view: { zoom, whole },
  isWhole,
  isEndNow,
  zone,
  now,
  onChange,
}: {
  view: ChartView;
  isWhole: boolean;
  isEndNow: boolean;
  zone: Zone;
  now: number;
  onChange: () => void;
}) {
  if (zoom === undefined) return null;
  const isLast = isEndNow && zoom.to === whole.to;
  const part = isLast
    ? `the last ${lengthText((zoom.to - zoom.from) / 1_000)}`
    : spanText(zoom.from, zoom.to, zone, now);
  return (
    <p className="flex h-5 items-center gap-1 truncate text-12 text-text-2">
      {!isWhole && <span className="truncate">Showing {part}.</span>}
      <button
        type="button"
        onClick={onChange}
        className="shrink-0 rounded-4 whitespace-nowrap text-accent hover:underline"
      >
        {isWhole ? `Zoom to ${part}` : `View full ${lengthText(roundedSeconds(whole.to - whole.from))}`}
      </button>
    </p>
  );
}

/** The last bar of a range may extend beyond its end: 24 hours and a quarter count as 24 hours. */
const roundedSeconds = (ms: number): number => (ms < 3 * HOUR ? ms : Math.round(ms / HOUR) * HOUR) / 1_000;
