import type { ReactNode } from 'react';

/** A row of values, one for each step. `look` is the state whose colour it has. */
export type Series = {
  name: string;
  look: 'delivered' | 'failed' | 'retrying' | 'pending' | 'held' | 'accent' | 'before';
  values: readonly number[];
};
/** A moment that is marked, such as a deploy. */
type Mark = { at: string; name: string };

export type ChartGiven = {
  title: string;
  /** When each step began. */
  times: readonly string[];
  stepSeconds: number;
  series: readonly Series[];
  /** Values of one step stand on each other, or each has a line of its own. */
  kind: 'bars' | 'lines';
  format: (value: number) => string;
  marks?: readonly Mark[];
  /** A line goes through steps whose value is 0: they are values, and no gaps. */
  hasZero?: boolean;
  /**
   * Takes the time of the steps over which somebody has drawn; a click or `Enter` takes one step. Absent: nothing is chosen so.
   */
  onSpan?: ((span: { since: string; until: string }) => void) | undefined;
  /** Takes the name of a row that somebody has chosen in the legend. Absent: nothing is chosen so. */
  onPick?: ((name: string) => void) | undefined;
  /** Lower, for a chart beside a list. */
  isSlim?: boolean;
  beside?: ReactNode;
  below?: ReactNode;
};
