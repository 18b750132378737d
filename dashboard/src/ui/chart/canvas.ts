import uPlot from 'uplot';
import { createColours } from './colours.ts';
import { barEdges, stackEdges } from './scale.ts';
import { type ChartSeries, type ChartTone, variableOf } from './series.ts';

/** What a canvas shows. Times are in milliseconds. */
export type Drawing = {
  kind: 'bars' | 'lines';
  times: readonly number[];
  stepSeconds: number;
  from: number;
  to: number;
  /** The value at the top edge. */
  most: number;
  /** In drawing order: the bottom of a stack first. */
  series: readonly ChartSeries[];
};

/** Minimum height of a bar in CSS pixels. */
const LEAST = 2;
const POINT = 4;

/**
 * Draws bars or lines with uPlot, and redraws only what has changed. Labels, markers and the crosshair are elements on
 * top of it.
 */
export class ChartCanvas {
  readonly #place: HTMLElement;
  readonly #colours: ReturnType<typeof createColours>;
  #shown: { drawing: Drawing; theme: number };
  #plot: uPlot | undefined;

  constructor(place: HTMLElement, drawing: Drawing, theme: number) {
    this.#place = place;
    this.#colours = createColours(place);
    this.#shown = { drawing, theme };
  }

  /** `theme` is a number that changes with the colours of the page. */
  show(drawing: Drawing, size: { width: number; height: number }, theme: number): void {
    const before = this.#shown;
    this.#shown = { drawing, theme };
    if (before.theme !== theme) this.#colours.forget();
    if (this.#plot === undefined || shapeOf(before.drawing) !== shapeOf(drawing)) {
      this.#plot?.destroy();
      this.#plot = new uPlot(this.#options(size), dataOf(drawing), this.#place);
      return;
    }
    const plot = this.#plot;
    const isResized = plot.width !== size.width || plot.height !== size.height;
    plot.batch(() => {
      if (isResized) plot.setSize(size);
      if (before.drawing !== drawing) plot.setData(dataOf(drawing));
      else if (before.theme !== theme && !isResized) plot.redraw(false, false);
    });
  }

  destroy(): void {
    this.#plot?.destroy();
    this.#plot = undefined;
  }

  #options(size: { width: number; height: number }): uPlot.Options {
    const { kind, series } = this.#shown.drawing;
    return {
      ...size,
      // One pixel for the top grid line.
      padding: [1, 0, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      axes: [{ show: false }, { show: false }],
      scales: {
        x: { time: false, range: () => [this.#shown.drawing.from, this.#shown.drawing.to] },
        y: { range: () => [0, this.#shown.drawing.most] },
      },
      hooks: { drawClear: [(plot) => this.#drawGrid(plot)] },
      series: [{}, ...series.map(({ tone }) => (kind === 'bars' ? this.#bars(tone) : this.#line(tone)))],
    };
  }

  #drawGrid({ ctx, bbox }: uPlot): void {
    const { left, top, width, height } = bbox;
    const thick = Math.max(1, Math.round(uPlot.pxRatio));
    ctx.save();
    ctx.fillStyle = this.#colours.of('--line');
    for (const y of [top - thick, top + Math.round(height / 2) - thick, top + height - thick])
      ctx.fillRect(left, y, width, thick);
    ctx.restore();
  }

  #bars(tone: ChartTone): uPlot.Series {
    return {
      fill: () => this.#colours.of(variableOf(tone)),
      width: 0,
      points: { show: false },
      paths: (plot, seriesAt) => ({
        fill: this.#barsPath(plot, seriesAt - 1),
        stroke: null,
        flags: 0,
      }),
    };
  }

  #barsPath({ bbox }: uPlot, seriesAt: number): Path2D {
    const { times, stepSeconds, from, to, most, series } = this.#shown.drawing;
    const perMs = bbox.width / (to - from);
    const bottom = bbox.top + bbox.height;
    const path = new Path2D();
    times.forEach((time, at) => {
      if ((series[seriesAt]?.values[at] ?? 0) <= 0) return;
      const [left, width] = barEdges(bbox.left + (time - from) * perMs, stepSeconds * 1_000 * perMs);
      const edges = stackEdges(
        series.map(({ values }) => values[at]),
        { perUnit: bbox.height / most, least: Math.round(LEAST * uPlot.pxRatio), most: bbox.height },
      );
      const [low, high] = [edges[seriesAt] ?? 0, edges[seriesAt + 1] ?? 0];
      path.rect(left, bottom - high, width, high - low);
    });
    return path;
  }

  #line(tone: ChartTone): uPlot.Series {
    const colour = (): string => this.#colours.of(variableOf(tone));
    return {
      stroke: colour,
      width: tone === 'quiet' ? 1.25 : 1.75,
      pxAlign: 0,
      points: {
        show: true,
        size: POINT,
        width: 0,
        fill: colour,
        filter: (plot, seriesAt) => lonely(plot.data[seriesAt]),
      },
    };
  }
}

/** Changes of these need a new plot. */
const shapeOf = ({ kind, series }: Drawing): string =>
  `${kind} ${series.map(({ key, tone }) => `${key}:${tone}`).join(' ')}`;

/** Lines go through the middle of each step, where bars are. */
function dataOf({ times, stepSeconds, series }: Drawing): uPlot.AlignedData {
  const half = stepSeconds * 500;
  return [times.map((at) => at + half), ...series.map(({ values }) => values.map((value) => value ?? null))];
}

/** Positions of values without a neighbour, which no line would show. */
function lonely(values: ArrayLike<number | null | undefined> | undefined): number[] {
  const isThere = (at: number): boolean => (values?.[at] ?? null) !== null;
  return Array.from({ length: values?.length ?? 0 }, (_, at) => at).filter(
    (at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1),
  );
}
