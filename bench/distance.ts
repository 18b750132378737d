import type { Figures } from './measure.ts';
import type { ScenarioName } from './scenario-names.ts';

/** State of the limit of requests in flight: a fresh subscription's, or as adapted by earlier bursts. */
export type Phase = 'cold' | 'warm';

/** The requested distances: each scenario's usual ones, those that the targets need (bench/distance-targets.ts), or a list in ms. */
export type Distances = 'usual' | 'targets' | readonly number[];

// More than this from one burst to the next is growth; less is the usual difference between two bursts.
const GROWTH = 1.1;
// From 20 to 1,000 in flight is six doublings, and the cold burst is the first one.
const BURSTS_AT_MOST = 8;

/** Reads `0,100ms,1s`, the response times of the receiver. Numbers without a unit are ms. */
export function readDistances(text: string): number[] {
  return text.split(',').map((part) => {
    const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(part.trim()) ?? [];
    if (number === undefined) throw new Error('--distance takes a list such as 0,100ms,1s');
    return Number(number) * (unit === 's' ? 1_000 : 1);
  });
}

/** Distances at which a scenario is measured, ms. A distance costs minutes, so most are left to `--distance`. */
export function distancesOf(name: ScenarioName | 'isolation', isDefault: boolean, asked: Distances): readonly number[] {
  if (typeof asked !== 'string') return asked;
  if (name === 'isolation') return asked === 'targets' ? [100] : [0, 100];
  if (name === 'light') return isDefault ? [0, 300, 900] : [0];
  return asked === 'targets' ? [0, 100, 1_000] : [0];
}

export function showDistance(distanceMs: number, phase?: Phase): string {
  const time = distanceMs >= 1_000 ? `${distanceMs / 1_000} s` : `${distanceMs} ms`;
  return [distanceMs === 0 ? '0' : time, phase].filter(Boolean).join(' ');
}

type Measured = { phase?: Phase; figures: Figures };

/** Measures once, where no adaptive limit matters. */
const measureAsItIs = async (once: () => Promise<Figures>): Promise<Measured[]> => [{ figures: await once() }];

/** Measures a fresh target, sends bursts to it until they arrive no faster, and measures again. */
async function measureColdAndWarm(burst: () => Promise<Figures>): Promise<Measured[]> {
  const cold = await burst();
  let last = cold.deliveredPerSecond;
  for (let count = 1; count <= BURSTS_AT_MOST; count += 1) {
    const { deliveredPerSecond: rate } = await burst();
    if (rate <= last * GROWTH) break;
    last = rate;
  }
  return [
    { phase: 'cold', figures: cold },
    { phase: 'warm', figures: await burst() },
  ];
}

/** All measurements of a fresh target at that distance. `isLearnt`: its rate depends on a limit that adapts. */
export const measurePhases = (
  once: () => Promise<Figures>,
  { isLearnt, distanceMs }: { isLearnt: boolean; distanceMs: number },
): Promise<Measured[]> => (isLearnt && distanceMs > 0 ? measureColdAndWarm(once) : measureAsItIs(once));
