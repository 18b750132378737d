import type { Ceiling } from './ceilings.ts';
import type { Figures } from './measure.ts';
import { type Result, spread } from './report.ts';
import type { ScenarioName } from './scenario-names.ts';
import type { Mode } from './service.ts';
import { formatTable, show } from './statistics.ts';

/** A bound on the median of a figure. */
type Target = {
  mode: Mode;
  scenario: ScenarioName;
  figure: string;
  of: (figures: Figures) => number;
  atLeast?: number;
  atMost?: number;
};

// Targets for two cores with everything on them (docs/explanation/performance.md).
const TARGETS: readonly Target[] = [
  { mode: 'default', scenario: 'burst', figure: 'accepted/s', of: (run) => run.acceptedPerSecond, atLeast: 2_850 },
  { mode: 'default', scenario: 'burst', figure: 'delivered/s', of: (run) => run.deliveredPerSecond, atLeast: 2_850 },
  { mode: 'default', scenario: 'burst', figure: 'p50 ms', of: (run) => run.p50, atMost: 20 },
  { mode: 'default', scenario: 'burst', figure: 'p99 ms', of: (run) => run.p99, atMost: 60 },
  { mode: 'default', scenario: 'burst', figure: 'CPU ms', of: (run) => run.cpuMsPerDelivery, atMost: 0.7 },
  { mode: 'default', scenario: 'fan-out', figure: 'delivered/s', of: (run) => run.deliveredPerSecond, atLeast: 6_000 },
  {
    mode: 'default',
    scenario: 'broadcast',
    figure: 'delivered/s',
    of: (run) => run.deliveredPerSecond,
    atLeast: 4_000,
  },
  { mode: 'default', scenario: 'light', figure: 'p50 ms', of: (run) => run.p50, atMost: 15 },
  { mode: 'default', scenario: 'light', figure: 'p99 ms', of: (run) => run.p99, atMost: 35 },
  { mode: 'drain', scenario: 'light', figure: 'p50 ms', of: (run) => run.p50, atMost: 4 },
  { mode: 'drain', scenario: 'light', figure: 'p99 ms', of: (run) => run.p99, atMost: 8 },
  {
    mode: 'default',
    scenario: 'retries',
    figure: 'all after ms',
    of: (run) => run.allArrivedAfterMs,
    atMost: 3_400,
  },
];

/** Part of Temporal's ceiling in the same run that strict mode should reach. */
const STRICT_PART = 0.7;

export function targetTable(results: readonly Result[]): string {
  const near = results.filter(({ distanceMs }) => distanceMs === 0);
  const rows = TARGETS.flatMap(({ mode, scenario, figure, of, atLeast, atMost }) => {
    const result = near.find((each) => each.mode === mode && each.scenario === scenario);
    if (result === undefined) return [];
    const { median } = spread(result, of);
    const isReached = median >= (atLeast ?? Number.NEGATIVE_INFINITY) && median <= (atMost ?? Number.POSITIVE_INFINITY);
    const bound = atLeast === undefined ? `≤ ${show(atMost ?? 0)}` : `≥ ${show(atLeast)}`;
    return [[`${mode} ${scenario}`, figure, bound, show(median), isReached ? 'reached' : 'MISSED']];
  });
  return formatTable(['scenario', 'figure', 'target', 'measured', ''], rows);
}

/** Each burst over each ceiling of the same run: this holds on any machine, and while others use it too. */
export function ratioTable(results: readonly Result[], ceilings: readonly Ceiling[]): string {
  const rows = results
    .filter(({ scenario, distanceMs }) => scenario === 'burst' && distanceMs === 0)
    .flatMap((result) => {
      const { median } = spread(result, (run) => run.deliveredPerSecond);
      return ceilings
        .filter(({ name }) => name !== 'disk' && (name === 'temporal') === (result.mode === 'strict'))
        .map(({ name, perSecond }) => [
          `${result.mode} burst`,
          `of ${name}'s ceiling`,
          show(median / perSecond),
          name === 'temporal' ? `≥ ${STRICT_PART}` : '',
        ]);
    });
  return formatTable(['scenario', 'delivered/s', 'part', 'target'], rows);
}
