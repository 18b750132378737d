import { type Figure, percentile } from './figures.ts';
import type { Payload } from './payloads.ts';
import type { Arrivals, Plan, Receiver } from './receiver.ts';

/** The two subscriptions: one matches every event type, the other only types with these prefixes. */
export const TARGETS = [
  { name: 'everything', beginnings: [''], eventTypes: [] },
  {
    name: 'issues-and-pull-requests',
    beginnings: ['issues.', 'pull_request.'],
    eventTypes: ['issues.*', 'pull_request.*'],
  },
];

/** Number of payloads published one at a time, each after the one before has arrived. The others go in batches. */
export const ONE_AT_A_TIME = 29;

/** In a batch one payload of ten is refused at first, and one of twenty until the receiver is repaired. */
export function planOf(position: number): Plan {
  if (position < ONE_AT_A_TIME) return 'take';
  if (position % 10 === 3) return 'fail once';
  return position % 20 === 7 ? 'fail for ever' : 'take';
}

/** One payload for one subscription, which must arrive once. */
export type Expected = { target: string; position: number; plan: Plan };

export const expectedOf = (payloads: readonly Payload[]): Expected[] =>
  payloads.flatMap(({ position, eventType }) =>
    TARGETS.filter(({ beginnings }) => beginnings.some((beginning) => eventType.startsWith(beginning))).map(
      ({ name }) => ({ target: name, position, plan: planOf(position) }),
    ),
  );

/** Returns the results of the receiver: first those that must be right, then the times. `delayMs` is the policy's first delay. */
export function judgeArrivals(
  receiver: Pick<Receiver, 'arrivalsOf' | 'problems'>,
  expected: readonly Expected[],
  delayMs: number,
): { figures: Figure[]; latencies: Figure[] } {
  const seen = expected.map((item) => {
    const { publishedAt, tries }: Arrivals = receiver.arrivalsOf(item.target, item.position) ?? {
      publishedAt: Number.NaN,
      tries: [],
    };
    return { ...item, publishedAt, tries, taken: tries.filter(({ isTaken }) => isTaken).length };
  });
  const isEarly = ({ tries: [first, second] }: Arrivals): boolean =>
    first !== undefined && second !== undefined && second.at - first.at < delayMs;
  const latencies = (title: string, items: typeof seen): Figure[] => {
    const times = items
      .filter(({ plan }) => plan === 'take')
      .flatMap(({ publishedAt, tries }) => tries.slice(0, 1).map(({ at }) => at - publishedAt));
    return [
      { name: `p50 ms from publish to arrival, ${title}`, value: percentile(times, 0.5) },
      { name: `p99 ms from publish to arrival, ${title}`, value: percentile(times, 0.99) },
    ];
  };
  return {
    figures: [
      {
        name: 'retried before their time',
        value: seen.filter((item) => item.plan === 'fail once' && isEarly(item)).length,
        wanted: 0,
      },
      { name: 'lost', value: seen.filter(({ taken }) => taken === 0).length, wanted: 0 },
      { name: 'doubled', value: seen.filter(({ taken }) => taken > 1).length, wanted: 0 },
      { name: 'wrongly signed or altered', value: receiver.problems.length, wanted: 0 },
    ],
    latencies: [
      ...latencies(
        'one at a time',
        seen.filter(({ position }) => position < ONE_AT_A_TIME),
      ),
      ...latencies(
        'all at once',
        seen.filter(({ position }) => position >= ONE_AT_A_TIME),
      ),
    ],
  };
}
