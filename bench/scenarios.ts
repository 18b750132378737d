import { SCENARIO_NAMES, type ScenarioName } from './scenario-names.ts';
import { type Distances, distancesOf } from './distance.ts';
import type { LoadShape } from './measure.ts';
import type { Behaviour } from './receiver-process.ts';
import type { ReceiverKind } from './receivers.ts';
import { MODE_NAMES, type Mode } from './service.ts';

/** One thing to measure in one mode. */
export type Scenario = {
  name: ScenarioName;
  mode: Mode;
  load: LoadShape;
  /** Subscriptions of the channel, spread over so many of the ten endpoints. */
  subscriptions: number;
  endpoints: number;
  behaviour: Behaviour;
  receiver: ReceiverKind;
  /** How long the receiver takes to answer, ms: one measurement each. */
  distancesMs: readonly number[];
  /** Its rate at a distance depends on the limit of requests in flight, which the service learns. */
  isLearnt: boolean;
};

export type Size = 'quick' | 'full';

const CONCURRENCY = 32;
const LIGHT_PER_SECOND = 20;
const LIGHT_SECONDS: Record<Size, number> = { quick: 8, full: 30 };
// One workflow per delivery costs 10 to 20 ms. Strict mode gets as many as take about ten seconds, which is enough for its rate.
const BURST: Record<Mode, Record<Size, number>> = {
  strict: { quick: 250, full: 1_000 },
  default: { quick: 5_000, full: 5_000 },
  drain: { quick: 5_000, full: 5_000 },
};
const FAN_OUT: Record<Mode, number> = { strict: 60, default: 500, drain: 500 };
const BROADCAST: Record<Mode, number> = { strict: 500, default: 5_000, drain: 5_000 };
const RETRIES: Record<Mode, number> = { strict: 300, default: 1_000, drain: 1_000 };
// Scenarios left out of a quick run: another mode, or the burst, shows the same.
const ONLY_FULL: readonly `${Mode} ${ScenarioName}`[] = [
  'strict fan-out',
  'strict broadcast',
  'strict retries',
  'drain fan-out',
  'drain broadcast',
  'drain retries',
];
// Other receivers: the difference they make is the same in every mode.
const ONLY_DEFAULT: readonly ScenarioName[] = ['fan-out-host', 'fan-out-tls', 'fan-out-go'];

/** Scenarios of each mode, in the order of measuring. */
export function scenariosOf(size: Size, asked: Distances): Scenario[] {
  return MODE_NAMES.flatMap((mode) => SCENARIO_NAMES.map((name) => scenario(name, mode, size, asked))).filter(
    ({ name, mode }) =>
      (size === 'full' || !ONLY_FULL.includes(`${mode} ${name}`)) &&
      (mode === 'default' || !ONLY_DEFAULT.includes(name)),
  );
}

function scenario(name: ScenarioName, mode: Mode, size: Size, asked: Distances): Scenario {
  const base = {
    name,
    mode,
    subscriptions: 1,
    endpoints: 10,
    behaviour: {},
    receiver: 'plain' as const,
    distancesMs: distancesOf(name, mode === 'default', asked),
    isLearnt: false,
  };
  const fanOut = {
    ...base,
    load: { count: FAN_OUT[mode], concurrency: CONCURRENCY },
    subscriptions: 10,
    isLearnt: true,
  };
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
      return { ...base, load: { count: BURST[mode][size], concurrency: CONCURRENCY }, isLearnt: true };
    case 'fan-out':
      return fanOut;
    case 'fan-out-host':
      return { ...fanOut, endpoints: 1 };
    case 'fan-out-tls':
      return { ...fanOut, receiver: 'tls' };
    case 'fan-out-go':
      return { ...fanOut, receiver: 'go' };
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
