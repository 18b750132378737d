import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { spanOfSteps } from '../lib/steps.ts';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { ChartLegend } from './chart-legend.tsx';
import { ChartTable } from './chart-table.tsx';
import type { ChartGiven, Series } from './chart-given.ts';
import { FigureBox } from './figure-box.tsx';

// Stretched to the width of its place: strokes and texts stand outside of that.
const [WIDTH, HEIGHT, TOP] = [720, 120, 2];
const PLOT = HEIGHT - TOP - 1;

/** Values over time. */
export function Chart(given: ChartGiven) {
  const {
    title,
    times,
    stepSeconds,
    series,
    kind,
    format,
    marks = [],
    hasZero = false,
    onSpan,
    onPick,
    isSlim = false,
    beside,
    below,
  } = given;
  const t = useTexts();
  const { minute } = useTimes();
  // Times, and no places among them: new steps move all others to the left.
  const [pointedAt, setPointedAt] = useState<string>();
  const [begunAt, setBegunAt] = useState<string>();
  const pointed = placeOf(times, pointedAt);
  const begun = placeOf(times, begunAt);
  // The title says what a single row is: a legend would say it again.
  const isNamed = series.length === 1 && series[0]?.name === title;
  const sums = times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const singles = series.flatMap(({ values }) => [...values]);
  const most = Math.max(1, ...(kind === 'bars' ? sums : singles));
  const step = WIDTH / Math.max(1, times.length);
  const y = (value: number): number => TOP + PLOT - (value / most) * PLOT;
  const [first, last] = [times[0], times.at(-1)];
  const x = (time: string): number => ((Date.parse(time) - Date.parse(first ?? time)) / (stepSeconds * 1_000)) * step;
  const stepText = (at: number): string =>
    `${minute(times[at] ?? '')}: ${series.map(({ name, values }) => `${name} ${format(values[at] ?? 0)}`).join(', ')}`;
  const at = pointed ?? times.length - 1;
  const stepUnder = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(times.length - 1, Math.floor(((clientX - left) / width) * times.length)));
  };
  const onBrush =
    onSpan &&
    ((from: number, to: number): void => {
      const span = spanOfSteps(times, stepSeconds, from, to);
      if (span !== undefined) onSpan(span);
    });
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: times.length - 1, Enter: at }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key === 'Enter') onBrush?.(at, at);
    else setPointedAt(times[Math.max(0, Math.min(times.length - 1, next))]);
  };
  const shown = marks.filter(({ at }) => x(at) >= 0 && x(at) <= WIDTH);
  return (
    <FigureBox
      title={title}
      isSlim={isSlim}
      beside={
        isNamed && pointed !== undefined && times[pointed] !== undefined ? (
          <span>
            <strong>{format(series[0]?.values[pointed] ?? 0)}</strong>{' '}
            <span className="muted">{minute(times[pointed])}</span>
          </span>
        ) : (
          beside
        )
      }
      table={<ChartTable times={times} series={series} format={format} onBrush={onBrush} />}
      below={below}
    >
      {!isNamed && (
        <ChartLegend series={series} pointed={pointed} format={format} onPick={onPick}>
          {pointed !== undefined && times[pointed] !== undefined && minute(times[pointed])}
        </ChartLegend>
      )}
      <p className="muted highest" aria-hidden="true">
        {format(most)}
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-label={`${title}. ${t.figures.most(format(most))}`}
        {...(onBrush === undefined
          ? { role: 'img' }
          : {
              role: 'slider',
              tabIndex: 0,
              'aria-valuemin': 0,
              'aria-valuemax': Math.max(0, times.length - 1),
              'aria-valuenow': Math.max(0, at),
              'aria-valuetext': times.length === 0 ? '' : stepText(at),
              'aria-description': t.figures.keys,
              onKeyDown,
            })}
        onPointerLeave={() => setPointedAt(undefined)}
        className={onBrush === undefined ? undefined : 'brush'}
        onBlur={() => setPointedAt(undefined)}
        onPointerMove={(event) => setPointedAt(times[stepUnder(event)])}
        onPointerDown={(event) => {
          if (onBrush === undefined || event.button !== 0 || times.length === 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          // A finger has not moved before.
          setPointedAt(times[stepUnder(event)]);
          setBegunAt(times[stepUnder(event)]);
        }}
        onPointerUp={() => {
          if (begun !== undefined && pointed !== undefined)
            onBrush?.(Math.min(begun, pointed), Math.max(begun, pointed));
          setBegunAt(undefined);
        }}
      >
        <line x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} className="axis" />
        <line x1={0} x2={WIDTH} y1={y(most)} y2={y(most)} className="grid" />
        {pointed !== undefined && (
          <rect
            className="pointed"
            x={Math.min(begun ?? pointed, pointed) * step}
            y={TOP}
            width={(Math.abs((begun ?? pointed) - pointed) + 1) * step}
            height={PLOT}
          />
        )}
        {kind === 'bars' ? (
          <Bars series={series} step={step} y={y} />
        ) : (
          series.map(({ name, look, values }) => (
            <path key={name} className={`line ${look}`} d={lineOf(values, step, y, hasZero)} />
          ))
        )}
        {shown.map(({ at, name }) => (
          <g key={`${at} ${name}`} className="mark">
            <line x1={x(at)} x2={x(at)} y1={TOP} y2={y(0)} />
            <title>{`${name}, ${minute(at)}`}</title>
          </g>
        ))}
      </svg>
      <p className="scale muted">
        <span>{first !== undefined && minute(first)}</span>
        <span>{last !== undefined && minute(last)}</span>
      </p>
    </FigureBox>
  );
}

/** The place of a step that is still shown. */
function placeOf(times: readonly string[], at: string | undefined): number | undefined {
  const place = at === undefined ? -1 : times.indexOf(at);
  return place === -1 ? undefined : place;
}

function Bars({ series, step, y }: { series: readonly Series[]; step: number; y: (value: number) => number }) {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const width = Math.max(1, step - 1);
  return Array.from({ length: count }, (_, at) => {
    let below = 0;
    return series.map(({ name, look, values }) => {
      const value = values[at] ?? 0;
      if (value === 0) return null;
      const [from, to] = [below, below + value];
      below = to;
      // Never thinner than a line: a single failure beside a thousand deliveries must be seen.
      const height = Math.max(1.5, y(from) - y(to));
      return (
        <rect
          key={`${at} ${name}`}
          className={look}
          x={at * step}
          y={Math.max(TOP, y(from) - height)}
          width={width}
          height={height}
        />
      );
    });
  });
}

/** A step without a value is a gap. */
function lineOf(values: readonly number[], step: number, y: (value: number) => number, hasZero: boolean): string {
  let isDown = false;
  return values
    .map((value, at) => {
      if (value === 0 && !hasZero) {
        isDown = false;
        return '';
      }
      const point = `${(at * step + step / 2).toFixed(1)} ${y(value).toFixed(1)}`;
      // A value between two gaps is a short line, or it would not be seen.
      const drawn = isDown ? `L${point}` : `M${point}h1`;
      isDown = true;
      return drawn;
    })
    .join('');
}

/** Values over time, as wide as a word: bars of what failed on what was delivered. */
export function Sparkline({ series, label }: { series: readonly Series[]; label: string }) {
  const count = Math.max(1, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: count }, (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const most = Math.max(1, ...sums);
  return (
    <svg className="chart spark" viewBox={`0 0 ${count * 4} 20`} role="img" aria-label={label}>
      <Bars series={series} step={4} y={(value) => 20 - (value / most) * 18} />
    </svg>
  );
}
