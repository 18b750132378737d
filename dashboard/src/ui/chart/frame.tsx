import clsx from 'clsx';
import { Rocket } from 'lucide-react';
import { Icon } from '../icon.tsx';
import type { ChartMark } from './series.ts';
import { timeLabels } from './times.ts';
import type { Zone } from '../../lib/zone-times.ts';
import type { ChartView } from './view.ts';

/** Width of a flag in pixels. Its name is cut off there; the crosshair shows all of it. */
const FLAG = 116;

type Placed = ChartMark & { x: number; flag: 'left' | 'right' | undefined };

/** Markers within the plot, the newest first. If flags would overlap, the older marker has no flag. */
function placed(marks: readonly ChartMark[], { from, to }: ChartView, width: number): Placed[] {
  const taken: (readonly [from: number, to: number])[] = [];
  return marks
    .map((mark) => ({ ...mark, x: Math.round(((Date.parse(mark.at) - from) / (to - from)) * width) }))
    .filter(({ x }) => x >= 0 && x <= width)
    .toSorted((a, b) => b.x - a.x)
    .map((mark) => {
      const flag = mark.x + FLAG > width ? 'left' : 'right';
      const room = flag === 'left' ? ([mark.x - FLAG, mark.x] as const) : ([mark.x, mark.x + FLAG] as const);
      if (taken.some(([left, right]) => room[0] < right && room[1] > left)) return { ...mark, flag: undefined };
      taken.push(room);
      return { ...mark, flag };
    });
}

/** Marked moments, such as deployments: dashed lines, each with a flag. */
export function ChartMarks({
  marks,
  view,
  width,
  hasFlags,
}: {
  marks: readonly ChartMark[];
  view: ChartView;
  width: number;
  hasFlags: boolean;
}) {
  return placed(marks, view, width).map(({ at, label, x, flag }) => (
    <div
      key={`${at} ${label}`}
      aria-hidden="true"
      className="absolute inset-y-0 border-l border-dashed border-text-2"
      style={{ left: x }}
    >
      {hasFlags && flag !== undefined && (
        <span
          className={clsx(
            'absolute top-0 flex max-w-27 items-center gap-1 rounded-4 border border-line-strong bg-surface px-1.25 text-11 font-medium whitespace-nowrap text-text-2',
            flag === 'left' ? 'right-1.5' : 'left-1.5',
          )}
        >
          <Icon of={Rocket} isSmall className="size-3" />
          <span className="truncate">{label}</span>
        </span>
      )}
    </div>
  ));
}

const SIDES = { start: '', middle: '-translate-x-1/2', end: '-translate-x-full' } as const;

/** Times below a plot. Hidden from screen readers, because the slider over the plot announces them too. */
export function TimeAxis({
  view: { from, to },
  width,
  zone,
  now,
  isEndNow,
}: {
  view: ChartView;
  width: number;
  zone: Zone;
  now: number;
  isEndNow: boolean;
}) {
  const labels = width === 0 ? [] : timeLabels({ from, to, isEndNow }, { width, zone, now });
  return (
    <div aria-hidden="true" className="relative h-5 overflow-hidden text-11 text-text-3 tabular-nums">
      {labels.map(({ text, x, side }) => (
        <span
          key={`${text} ${x}`}
          className={clsx('absolute top-0.5 whitespace-nowrap', SIDES[side])}
          style={{ left: x }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}
