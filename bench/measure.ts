import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from './clock.ts';
import type { Target } from './fixture.ts';
import type { Load, Published } from './load-process.ts';
import { readBusyMs, readUsage, type Usage } from './processes.ts';
import type { Arrivals, Behaviour } from './receiver-process.ts';
import type { Rig } from './rig.ts';
import type { Service } from './service.ts';
import { percentile } from './statistics.ts';

const PARTS = ['service', 'postgres', 'temporal', 'load', 'receiver'] as const;
type Part = (typeof PARTS)[number];

/** Figures of one run. Times in ms; CPU per delivery over the whole run, until every result is recorded. */
export type Figures = {
  messages: number;
  deliveries: number;
  acceptedPerSecond: number;
  deliveredPerSecond: number;
  p50: number;
  p95: number;
  p99: number;
  /** From the last answer to a publish until the last delivery had arrived. */
  allArrivedAfterMs: number;
  cpuMs: Record<Part, number>;
  /** Service, PostgreSQL and Temporal, per delivery. */
  cpuMsPerDelivery: number;
  rssMb: Record<Part, number>;
  lost: number;
  doubled: number;
  refused: number;
  /** Busy share of the load generator's one thread while it published, 0 to 1. */
  loadBusy: number;
  /** The same of the receiver's until the last arrival, and how late its timers fired; no timers where it answers at once. */
  receiverBusy: number;
  timersLateP50: number;
  timersLateP99: number;
  /** Share of the machine's CPU time in the run that programs outside of this benchmark took, 0 to 1. */
  othersBusy: number;
  /** Counts in each tenth of a second from the first request on: they show what a rate is made of. */
  course: { accepted: number[]; arrived: number[] };
};

export type Run = {
  service: Service;
  key: string;
  target: Target;
  load: LoadShape;
  behaviour: Behaviour;
  /** Deliveries of the target whose results are not recorded yet. */
  countUnfinished: () => Promise<number>;
};
/** The parts that are measured beside the service. */
export type MeasuredRig = Pick<Rig, 'postgres' | 'temporal' | 'load' | 'receiver'>;
export type LoadShape = Pick<Load, 'count' | 'concurrency' | 'ratePerSecond'>;

export const PAYLOAD_BYTES = 1_024;
const POLL_MS = 20;
// A delivery that has not come for this long is lost, or at least too late for any figure.
const PATIENCE_MS = 30_000;

/** Publishes, waits until everything has arrived and is recorded, and looks at the arrivals. */
export async function measure(
  rig: MeasuredRig,
  { service, key, target, load, behaviour, countUnfinished }: Run,
): Promise<Figures> {
  const roots = {
    service: service.pid,
    postgres: rig.postgres.pid,
    temporal: rig.temporal.pid,
    load: rig.load.pid,
    receiver: rig.receiver.pid,
    // This process has started all the others: everything outside its tree belongs to another program.
    bench: process.pid,
  };
  const expected = load.count * target.subscriptionIds.length;
  await rig.receiver.ask('begin', behaviour);
  const rssMb = { service: 0, postgres: 0, temporal: 0, load: 0, receiver: 0 };
  const sample = (): Record<keyof typeof roots, Usage> => {
    const usage = readUsage(roots);
    for (const part of PARTS) rssMb[part] = Math.max(rssMb[part], usage[part].rssBytes / 1e6);
    return usage;
  };
  const busyBefore = readBusyMs();
  const before = sample();
  const startedAt = nowMs();
  const sampling = setInterval(sample, 1_000);
  try {
    const published = await rig.load.ask('publish', {
      ...load,
      url: service.url,
      key,
      channelId: target.channelId,
      payloadBytes: PAYLOAD_BYTES,
    });
    const loadCpu = readUsage({ load: rig.load.pid }).load.cpuMs - before.load.cpuMs;
    const receiverBusy = await untilArrived(rig, published.ids.length * target.subscriptionIds.length);
    await untilRecorded(countUnfinished);
    const wallMs = nowMs() - startedAt;
    const after = sample();
    const busyMs = readBusyMs() - busyBefore;
    // A second copy would come now.
    await sleep(100);
    const arrivals = await rig.receiver.ask('arrivals');
    const late = Float64Array.from(arrivals.late).sort();
    const cpuOf = (part: keyof typeof roots): number => after[part].cpuMs - before[part].cpuMs;
    const cpuMs = Object.fromEntries(PARTS.map((part) => [part, cpuOf(part)])) as Record<Part, number>;
    return {
      messages: published.ids.length,
      deliveries: expected,
      ...timesOf(published, arrivals, target),
      cpuMs,
      cpuMsPerDelivery: (cpuMs.service + cpuMs.postgres + cpuMs.temporal) / expected,
      rssMb,
      refused: published.refused + published.unanswered,
      loadBusy: loadCpu / (published.endedAt - published.startedAt),
      receiverBusy,
      timersLateP50: percentile(late, 0.5),
      timersLateP99: percentile(late, 0.99),
      othersBusy: Math.max(0, busyMs - cpuOf('bench')) / (wallMs * processors),
      course: {
        accepted: courseOf(published.answeredAt, published.startedAt),
        arrived: courseOf(arrivals.at, published.startedAt),
      },
    };
  } finally {
    clearInterval(sampling);
  }
}

const processors = (await import('node:os')).availableParallelism();

function courseOf(times: Float64Array, startedAt: number): number[] {
  const course: number[] = [];
  for (const time of times) {
    const tenth = Math.floor((time - startedAt) / 100);
    course[tenth] = (course[tenth] ?? 0) + 1;
  }
  return Array.from(course, (count) => count ?? 0);
}

/** Latencies and rates, joined over the message's id; lost and doubled deliveries. */
export function timesOf(
  published: Published,
  arrivals: Arrivals,
  target: Target,
): Pick<
  Figures,
  'acceptedPerSecond' | 'deliveredPerSecond' | 'p50' | 'p95' | 'p99' | 'allArrivedAfterMs' | 'lost' | 'doubled'
> {
  const sentAt = new Map(published.ids.map((id, index) => [id, published.sentAt[index] ?? 0]));
  const latencies: number[] = [];
  let lastAt = 0;
  arrivals.keys.forEach((key, index) => {
    const sent = sentAt.get(key.slice(0, key.indexOf(' ')));
    const at = arrivals.at[index] ?? 0;
    // Stored although its publish was never answered (bench/crash.ts): no promise was given for it.
    if (sent === undefined) return;
    latencies.push(at - sent);
    lastAt = Math.max(lastAt, at);
  });
  const sorted = Float64Array.from(latencies).sort();
  return {
    acceptedPerSecond: (published.ids.length * 1_000) / (published.endedAt - published.startedAt),
    deliveredPerSecond: (latencies.length * 1_000) / (lastAt - published.startedAt),
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    allArrivedAfterMs: Math.max(0, lastAt - published.endedAt),
    lost: published.ids.length * target.subscriptionIds.length - latencies.length,
    doubled: arrivals.requests - arrivals.failures - arrivals.keys.length,
  };
}

/**
 * Waits until that many distinct deliveries have arrived, or no new one has for a long time. Returns the busy share of the receiver.
 */
export async function untilArrived(rig: Pick<Rig, 'receiver'>, expected: number): Promise<number> {
  let [most, changedAt] = [-1, nowMs()];
  for (;;) {
    const { arrived, busy } = await rig.receiver.ask('seen');
    if (arrived >= expected) return busy;
    if (arrived > most) [most, changedAt] = [arrived, nowMs()];
    else if (nowMs() - changedAt > PATIENCE_MS) return busy;
    await sleep(POLL_MS);
  }
}

/** Waits until nothing is unfinished any more: recording belongs to the cost of a delivery. */
export async function untilRecorded(countUnfinished: () => Promise<number>): Promise<void> {
  const deadline = nowMs() + PATIENCE_MS;
  while ((await countUnfinished()) > 0 && nowMs() < deadline) await sleep(POLL_MS);
}
