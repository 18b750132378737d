import type { LoadShape } from './measure.ts';
import type { Behaviour } from './receiver-process.ts';
import { MODE_NAMES, type Mode } from './service.ts';

export const SCENARIO_NAMES = ['light', 'burst', 'fan-out', 'broadcast', 'retries'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** One thing to measure in one mode. */
export type Scenario = {
  name: ScenarioName;
  mode: Mode;
  load: LoadShape;
  /** Subscriptions of the channel, spread over the ten endpoints. */
  subscriptions: number;
  behaviour: Behaviour;
};

export type Size = 'quick' | 'full';

const CONCURRENCY = 32;
const LIGHT_PER_SECOND = 20;
const LIGHT_SECONDS: Record<Size, number> = { quick: 8, full: 30 };
// One workflow per delivery costs 10 to 20 ms: strict mode gets as many as take some ten seconds, its rate needs no more.
const BURST: Record<Mode, Record<Size, number>> = {
  strict: { quick: 250, full: 1_000 },
  default: { quick: 5_000, full: 5_000 },
  drain: { quick: 5_000, full: 5_000 },
};
const FAN_OUT: Record<Mode, number> = { strict: 60, default: 500, drain: 500 };
const BROADCAST: Record<Mode, number> = { strict: 500, default: 5_000, drain: 5_000 };
const RETRIES: Record<Mode, number> = { strict: 300, default: 1_000, drain: 1_000 };
// What a minute has no room for. It would repeat what another mode or the burst says.
const ONLY_FULL: readonly `${Mode} ${ScenarioName}`[] = [
  'strict fan-out',
  'strict broadcast',
  'strict retries',
  'drain fan-out',
  'drain broadcast',
  'drain retries',
];

/** What is measured in which mode, in the order of measuring. */
export function scenariosOf(size: Size): Scenario[] {
  return MODE_NAMES.flatMap((mode) => SCENARIO_NAMES.map((name) => scenario(name, mode, size))).filter(
    ({ name, mode }) => size === 'full' || !ONLY_FULL.includes(`${mode} ${name}`),
  );
}

function scenario(name: ScenarioName, mode: Mode, size: Size): Scenario {
  const base = { name, mode, subscriptions: 1, behaviour: {} };
  switch (name) {
    case 'light':
      return {
        ...base,
        load: {
          count: LIGHT_SECONDS[size] * LIGHT_PER_SECOND,
          concurrency: CONCURRENCY,
          ratePerSecond: LIGHT_PER_SECOND,
        },
      };
    case 'burst':
      return { ...base, load: { count: BURST[mode][size], concurrency: CONCURRENCY } };
    case 'fan-out':
      return { ...base, load: { count: FAN_OUT[mode], concurrency: CONCURRENCY }, subscriptions: 10 };
    case 'broadcast':
      return { ...base, load: { count: 1, concurrency: 1 }, subscriptions: BROADCAST[mode] };
    case 'retries':
      return { ...base, load: { count: RETRIES[mode], concurrency: CONCURRENCY }, behaviour: { failEvery: 5 } };
    default:
      return name satisfies never;
  }
}

/** Unmeasured publishes before a mode's scenarios: code is compiled, connections and Temporal's caches are there. */
export const WARM_UP: Record<Mode, LoadShape> = {
  strict: { count: 60, concurrency: 8 },
  default: { count: 10_000, concurrency: CONCURRENCY },
  drain: { count: 10_000, concurrency: CONCURRENCY },
};
