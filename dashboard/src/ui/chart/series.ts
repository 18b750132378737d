import type { Tone } from '../status.tsx';
import type { StepValues } from './steps.ts';

/** The state that a series counts, or how its line looks. */
export type ChartTone = Tone | 'accent' | 'quiet';

export type ChartSeries = { key: string; label: string; tone: ChartTone; values: StepValues };

/** A marked moment, such as a deployment. */
export type ChartMark = { at: string; label: string };

type Paint = {
  /** Custom property with the colour of its bar or line. */
  variable: string;
  /** Class with the same colour as a background. */
  ground: string;
  /** Position in a stack, from the bottom. Failures are on top, where they are visible. */
  rank: number;
};

const PAINTS: Readonly<Record<ChartTone, Paint>> = {
  quiet: { variable: '--pending-solid', ground: 'bg-pending-solid', rank: 0 },
  accent: { variable: '--accent', ground: 'bg-accent', rank: 1 },
  delivered: { variable: '--delivered-solid', ground: 'bg-delivered-solid', rank: 2 },
  running: { variable: '--accent', ground: 'bg-accent', rank: 3 },
  pending: { variable: '--pending-solid', ground: 'bg-pending-solid', rank: 4 },
  scheduled: { variable: '--pending-solid', ground: 'bg-pending-solid', rank: 4 },
  cancelled: { variable: '--pending-solid', ground: 'bg-pending-solid', rank: 4 },
  approval: { variable: '--held-solid', ground: 'bg-held-solid', rank: 5 },
  held: { variable: '--held-solid', ground: 'bg-held-solid', rank: 6 },
  retrying: { variable: '--retrying-solid', ground: 'bg-retrying-solid', rank: 7 },
  failed: { variable: '--failed-solid', ground: 'bg-failed-solid', rank: 8 },
};

export const variableOf = (tone: ChartTone): string => PAINTS[tone].variable;
export const groundOf = (tone: ChartTone): string => PAINTS[tone].ground;

/** Returns the series in drawing order: the bottom of a stack first, and the accented line over the quiet one. */
export const inDrawingOrder = <S extends { tone: ChartTone }>(series: readonly S[]): S[] =>
  series.toSorted((a, b) => PAINTS[a.tone].rank - PAINTS[b.tone].rank);
