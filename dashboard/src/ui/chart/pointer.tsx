import clsx from 'clsx';
import { ChartTip, type TipRow } from './chart-tip.tsx';
import { type ChartMark, groundOf } from './series.ts';
import { spanText } from './times.ts';
import type { Zone } from '../../lib/zone-times.ts';
import { type TakeSpan, usePointing } from './use-pointing.ts';
import type { ChartView } from './view.ts';

/** The layer over a plot with the crosshair, the selected span, and the values of both. */
export function ChartPointer({
  label,
  view,
  kind,
  width,
  most,
  format,
  marks,
  zone,
  now,
  syncKey,
  onSpan,
  onPick,
}: {
  label: string;
  view: ChartView;
  kind: 'bars' | 'lines';
  width: number;
  /** The value at the top edge. */
  most: number;
  format: (value: number) => string;
  marks: readonly ChartMark[];
  zone: Zone;
  now: number;
  syncKey: string | undefined;
  onSpan: TakeSpan | undefined;
  onPick: TakeSpan | undefined;
}) {
  const { times, stepSeconds, from, to } = view;
  const { pointed, steps, isOwn, handlers } = usePointing({ view, syncKey, onSpan, onPick });
  const at = pointed ?? times.length - 1;
  const startOf = (step: number): number => times[step] ?? from;
  const endOf = (step: number): number => startOf(step) + stepSeconds * 1_000;
  const x = (time: number): number => ((time - from) / (to - from)) * width;
  const textOf = (first: number, last: number): string => spanText(startOf(first), endOf(last), zone, now);
  const valuesText = rowsOf(view, at, at, kind)
    .map(({ label: name, value }) => `${name} ${value === undefined ? 'none' : format(value)}`)
    .join(', ');
  const opens = (onPick ?? onSpan) !== undefined;
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, times.length - 1)}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={`${textOf(at, at)}: ${valuesText}`}
      aria-description={`Arrow keys move${opens ? ', Enter opens' : ''}${onSpan === undefined ? '' : ', Shift and arrow keys select a time range'}`}
      className={clsx(
        'absolute inset-0 touch-pan-y rounded-4 outline-offset-2 select-none',
        onSpan !== undefined ? 'cursor-crosshair' : opens && 'cursor-pointer',
      )}
      {...handlers}
    >
      {pointed !== undefined && steps !== undefined && (
        <>
          {steps.first !== steps.last && (
            <div
              className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent/15"
              style={{ left: x(startOf(steps.first)), width: x(endOf(steps.last)) - x(startOf(steps.first)) }}
            />
          )}
          <div
            className="pointer-events-none absolute inset-y-0 w-0 border-l border-dashed border-text-2"
            style={{ left: Math.round(x((startOf(pointed) + endOf(pointed)) / 2)) }}
          />
          {kind === 'lines' && (
            <Dots view={view} at={pointed} most={most} x={x((startOf(pointed) + endOf(pointed)) / 2)} />
          )}
          {isOwn && (
            <ChartTip
              time={textOf(steps.first, steps.last)}
              rows={rowsOf(view, steps.first, steps.last, kind)}
              hasShares={kind === 'bars'}
              format={format}
              marks={marks.filter((mark) => isWithin(Date.parse(mark.at), startOf(steps.first), endOf(steps.last)))}
              x={x((startOf(pointed) + endOf(pointed)) / 2)}
              width={width}
            />
          )}
        </>
      )}
    </div>
  );
}

/** Where the crosshair meets the lines. */
function Dots({ view: { series }, at, most, x }: { view: ChartView; at: number; most: number; x: number }) {
  return series.map(({ key, tone, values }) => {
    const value = values[at];
    return (
      value !== undefined && (
        <span
          key={key}
          className={clsx(
            'pointer-events-none absolute size-1.75 -translate-1/2 rounded-full ring-2 ring-surface',
            groundOf(tone),
          )}
          style={{ left: x, top: `${(1 - value / most) * 100}%` }}
        />
      )
    );
  });
}

const isWithin = (at: number, from: number, to: number): boolean => at >= from && at < to;

/**
 * Returns the values of one or several steps: counts are summed, and of a measure the highest is shown. The top of a
 * stack comes first.
 */
function rowsOf({ series }: ChartView, first: number, last: number, kind: 'bars' | 'lines'): TipRow[] {
  return series.toReversed().map(({ key, label, tone, values }) => {
    const known = values.slice(first, last + 1).filter((value) => value !== undefined);
    const value = kind === 'bars' ? known.reduce((sum, each) => sum + each, 0) : Math.max(...known);
    return { key, label, tone, value: kind === 'lines' && known.length === 0 ? undefined : value };
  });
}
