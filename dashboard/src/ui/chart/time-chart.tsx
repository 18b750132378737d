import clsx from 'clsx';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Drawing } from './canvas.ts';
import { FewBars, Zoomed } from './little-data.tsx';
import { countText } from '../../lib/format.ts';
import { ChartMarks, TimeAxis } from './frame.tsx';
import { Plot, useBoxWidth } from './plot.tsx';
import { ChartPointer } from './pointer.tsx';
import { niceMax } from './scale.ts';
import type { ChartMark } from './series.ts';
import { perText } from './times.ts';
import type { TakeSpan } from './use-pointing.ts';
import { type ChartData, type ChartView, useView } from './view.ts';

/** With fewer bars that have data, a sentence is shown instead. */
const LEAST_FILLED = 3;

export type TimeChartProps = ChartData & {
  /** What is shown, for screen readers. */
  label: string;
  /** Height of the plot in pixels. The time axis below it takes another 20. */
  height: number;
  format?: (value: number) => string;
  /** What is counted: "attempts". */
  noun?: string;
  /** Replaces the sentence that is shown if fewer than three bars have data. */
  few?: ReactNode;
  /** Opens the last hour: offered if fewer than three bars have data, all of them within it. */
  onLastHour?: (() => void) | undefined;
  /** Shown if there are no data. */
  empty?: string;
  marks?: readonly ChartMark[];
  /** Keys of hidden series. */
  hidden?: readonly string[];
  /** A chart next to a list: its axis has no unit, and markers have no flags. */
  isSlim?: boolean;
  /** Data are loading: the space is reserved. */
  isLoading?: boolean;
  /** Shows only the part with data if they fill less than a third of the range. */
  isZoomable?: boolean;
  /** Charts with the same key share their crosshair. */
  syncKey?: string | undefined;
  /** Dragging selects a time range. */
  onSpan?: TakeSpan | undefined;
  /** A click or Enter opens the list of one step. */
  onPick?: TakeSpan | undefined;
};

/** A chart of counts or measures over time. Its height is the same while loading, with few data, and with none. */
export function TimeChart(props: TimeChartProps) {
  const {
    label,
    height,
    kind,
    zone = 'utc',
    now = Date.now(),
    format = countText,
    noun = 'attempts',
    empty = `No ${noun} in this range`,
    marks = [],
    hidden = [],
    isSlim = false,
    isLoading = false,
    isZoomable = true,
    syncKey,
    onSpan,
    onPick,
  } = props;
  const [isWhole, setIsWhole] = useState(false);
  const view = useView(props, isWhole || !isZoomable);
  const box = useRef<HTMLDivElement>(null);
  const width = useBoxWidth(box);
  const drawing = useDrawing(view, kind, hidden);
  const isZoomed = view.zoom !== undefined && isZoomable;
  const plotHeight = isZoomed ? height - 20 : height;
  const isEmpty = view.filled.length === 0;
  const isFew = !isEmpty && view.filled.length < LEAST_FILLED && !isLoading;
  const isEndNow = now - view.to < view.stepSeconds * 1_000 && now >= view.from;
  const most = `${format(drawing.most)}${kind === 'bars' && !isSlim ? ` ${perText(view.stepSeconds)}` : ''}`;
  const text = `${label}. ${isEmpty ? empty : `Axis up to ${most}`}`;
  return (
    <div className="min-w-0" style={{ height: height + 20 }} aria-busy={isLoading || undefined}>
      {isFew && (
        <FewBars {...props} view={view} isEndNow={isEndNow} format={format} noun={noun} now={now} zone={zone} />
      )}
      <div ref={box} className={clsx('relative', isFew && 'hidden')} style={{ height: plotHeight }}>
        <Plot drawing={drawing} width={width} height={plotHeight} />
        {isLoading || isEmpty ? (
          !isLoading && <NoData label={text}>{empty}</NoData>
        ) : (
          <>
            <span
              aria-hidden="true"
              className="absolute -top-0.5 left-0 rounded-4 bg-surface pr-1 text-11 leading-3 text-text-3 tabular-nums"
            >
              {most}
            </span>
            <ChartMarks marks={marks} view={view} width={width} hasFlags={!isSlim} />
            <ChartPointer
              label={text}
              view={{ ...view, series: drawing.series }}
              {...{ kind, width, most: drawing.most, format, marks, zone, now, syncKey, onSpan, onPick }}
            />
          </>
        )}
      </div>
      {!isFew && view.times.length > 0 && (
        <TimeAxis view={view} width={width} zone={zone} now={now} isEndNow={isEndNow} />
      )}
      {isZoomed && !isFew && (
        <Zoomed {...{ view, zone, now, isEndNow, isWhole }} onChange={() => setIsWhole(!isWhole)} />
      )}
    </div>
  );
}

function useDrawing(view: ChartView, kind: 'bars' | 'lines', hidden: readonly string[]): Drawing {
  const names = hidden.join('\n');
  return useMemo(() => {
    const series = view.series.filter(({ key }) => !names.split('\n').includes(key));
    const values = series.map((each) => each.values.map((value = 0) => value));
    const tops = view.times.map((_, at) => {
      const step = values.map((each) => each[at] ?? 0);
      return kind === 'bars' ? step.reduce((sum, value) => sum + value, 0) : Math.max(0, ...step);
    });
    const most = niceMax(Math.max(0, ...tops), kind === 'bars' ? 'counts' : 'measures');
    const { times, stepSeconds, from, to } = view;
    return { kind, times, stepSeconds, from, to, most, series };
  }, [view, kind, names]);
}

/** A flat baseline with a sentence on the line in the middle. */
function NoData({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="img" aria-label={label} className="absolute inset-0 grid place-items-center">
      <span className="bg-surface px-2 text-12 text-text-2">{children}</span>
    </div>
  );
}
