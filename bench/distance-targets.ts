import { type Phase, showDistance } from './distance.ts';
import type { Isolation } from './isolation.ts';
import type { Figures } from './measure.ts';
import { type Result, spread } from './report.ts';
import type { ScenarioName } from './scenario-names.ts';
import { formatTable, show, spreadOf } from './statistics.ts';

/** An upper bound for a scenario's median at a distance divided by its median at 0, default mode. */
type Target = {
  scenario: ScenarioName;
  distanceMs: number;
  phase?: Phase;
  figure: string;
  of: (figures: Figures) => number;
  atLeast?: number;
  atMost?: number;
};

const P50 = { scenario: 'light', figure: 'p50', of: (run: Figures) => run.p50, atMost: 1.3 } as const;
const RATE = { phase: 'warm', figure: 'delivered/s', of: (run: Figures) => run.deliveredPerSecond } as const;
const TARGETS: readonly Target[] = [
  { ...P50, distanceMs: 300 },
  { ...P50, distanceMs: 900 },
  { ...RATE, scenario: 'burst', distanceMs: 100, atLeast: 0.9 },
  { ...RATE, scenario: 'burst', distanceMs: 1_000, atLeast: 0.6 },
  { ...RATE, scenario: 'fan-out', distanceMs: 100, atLeast: 0.95 },
  { ...RATE, scenario: 'fan-out', distanceMs: 1_000, atLeast: 0.9 },
];
const ISOLATION = { distanceMs: 100, atMost: 1.5 };

/** Ratios within this run; a row needs its scenario at both distances. */
export function distanceTable(results: readonly Result[], isolation: readonly Isolation[]): string {
  const find = ({ scenario }: Target, distanceMs: number, phase?: Phase): Result | undefined =>
    results.find(
      (each) =>
        each.mode === 'default' && each.scenario === scenario && each.distanceMs === distanceMs && each.phase === phase,
    );
  const rows = TARGETS.flatMap((target) => {
    const [near, far] = [find(target, 0), find(target, target.distanceMs, target.phase)];
    if (near === undefined || far === undefined) return [];
    const ratio = spread(far, target.of).median / spread(near, target.of).median;
    return [rowOf(target.scenario, `${target.figure}, over that at 0`, ratio, target)];
  });
  for (const { flow, distanceMs, without, hanging } of isolation) {
    if (distanceMs !== ISOLATION.distanceMs) continue;
    const ratio = spreadOf(hanging).median / spreadOf(without).median;
    rows.push(rowOf(`isolation, ${flow}`, "others' p99, over that with none hanging", ratio, ISOLATION));
  }
  return formatTable(['scenario', 'distance', 'figure', 'target', 'ratio', ''], rows, 3);
}

function rowOf(
  name: string,
  figure: string,
  ratio: number,
  { distanceMs, phase, atLeast = 0, atMost }: Pick<Target, 'distanceMs' | 'phase' | 'atLeast' | 'atMost'>,
): string[] {
  const isReached = ratio >= atLeast && ratio <= (atMost ?? Number.POSITIVE_INFINITY);
  const bound = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  return [name, showDistance(distanceMs, phase), figure, bound, show(ratio), isReached ? 'reached' : 'MISSED'];
}
