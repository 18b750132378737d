import { type Phase, showDistance } from '../distance.ts';
import type { Figures } from '../measure.ts';
import type { ScenarioName } from '../scenario-names.ts';
import type { Mode } from '../service.ts';
import { formatTable, percentile, show, spreadOf } from '../statistics.ts';

/** Runs of one scenario, turn by turn: `here[n]` and `other[n]` belong to the same turn. */
export type Pair = {
  mode: Mode;
  scenario: ScenarioName;
  distanceMs: number;
  phase?: Phase;
  here: Figures[];
  other: Figures[];
};

const perDelivery =
  (part: 'service' | 'postgres' | 'temporal') =>
  ({ cpuMs, deliveries }: Figures): number =>
    cpuMs[part] / deliveries;

type Compared = { name: string; of: (figures: Figures) => number; isRate?: true };
const COMPARED: readonly Compared[] = [
  { name: 'delivered/s', of: (run) => run.deliveredPerSecond, isRate: true },
  { name: 'p50 ms', of: (run) => run.p50 },
  { name: 'p99 ms', of: (run) => run.p99 },
  { name: 'service CPU ms', of: perDelivery('service') },
  { name: 'PostgreSQL CPU ms', of: perDelivery('postgres') },
  { name: 'Temporal CPU ms', of: perDelivery('temporal') },
  { name: 'service MB', of: (run) => run.rssMb.service },
];

/** Ratios of the turns: first quartile, median and third quartile. */
type Ratio = { low: number; median: number; high: number };

/** This build divided by the other commit in each turn, because a slow moment of the machine slows both down. */
function ratioOf({ here, other }: Pick<Pair, 'here' | 'other'>, of: Compared['of']): Ratio {
  const ratios = here.map((figures, turn) => of(figures) / of(other[turn] ?? figures));
  const sorted = Float64Array.from(ratios.filter(Number.isFinite)).sort();
  return { low: percentile(sorted, 0.25), median: percentile(sorted, 0.5), high: percentile(sorted, 0.75) };
}

// Fewer turns show no spread.
const TURNS_AT_LEAST = 3;

/** A ratio within the spread of the turns means no change. */
const verdictOf = ({ low, high }: Ratio, turns: number, isRate = false): string => {
  if (turns < TURNS_AT_LEAST) return 'too few turns';
  if (low <= 1 && high >= 1) return 'same';
  return low > 1 === isRate ? 'better' : 'WORSE';
};

/** Returns a row for each metric of each scenario: the medians of both, and the ratio of their turns. */
export function ratiosTable(pairs: readonly Pair[]): string {
  const rows = pairs.flatMap(({ mode, scenario, distanceMs, phase, ...turns }) =>
    COMPARED.filter(({ isRate }) => !(isRate && scenario === 'light')).map(({ name, of, isRate }) => {
      const median = (runs: Figures[]): string => show(spreadOf(runs.map(of)).median);
      const ratio = ratioOf(turns, of);
      const between = `${show(ratio.low)}–${show(ratio.high)}`;
      const distance = showDistance(distanceMs, phase);
      const figures = [name, median(turns.other), median(turns.here), show(ratio.median), between];
      return [mode, scenario, distance, ...figures, verdictOf(ratio, turns.here.length, isRate)];
    }),
  );
  return formatTable(['mode', 'scenario', 'distance', 'figure', 'other', 'here', 'ratio', 'middle half', ''], rows, 4);
}
