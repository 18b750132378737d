import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { healthy, type Treatment } from '../campaign/sinks.ts';
import type { Stage } from '../campaign/stage.ts';
import { p99 } from '../campaign/times.ts';
import type { Scenario } from './scenario.ts';

const LARGE = Buffer.alloc(10 * 1024 * 1024, 'x');
const DRIP_EVERY_MS = 200;

const drip = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': 100_000 });
  const timer = setInterval(() => response.write('.'), DRIP_EVERY_MS);
  response.once('close', () => clearInterval(timer));
};

/** How receivers misbehave. The status is what the log has: 0 where no whole answer is given. */
export const MISBEHAVIOURS: Readonly<Record<string, (count: number) => Treatment>> = {
  hangs: () => ({ status: 0, act: () => undefined }),
  // The status has come; the service waits for no more of the body than its deadline allows.
  drips: () => ({ status: 200, act: drip }),
  limits: () => ({ status: 429, act: (response) => void response.writeHead(429, { 'retry-after': '2' }).end() }),
  gone: () => ({ status: 410 }),
  // Three of ten.
  fails: (count) => (count % 10 < 3 ? { status: 500 } : healthy()),
  resets: () => ({ status: 0, act: (response) => response.socket?.resetAndDestroy() }),
  floods: () => ({ status: 200, act: (response) => void response.writeHead(200).end(LARGE) }),
};

const CALM_SHORT_MS = 6_000;
const CALM_LONG_MS = 60_000;
// No head-of-line blocking: 1.5 times the time without bad receivers. Below that many ms the scheduler of a busy machine is what is
// measured, and not a queue: a hanging receiver holds a place for a second.
const MOST_TIMES = 1.5;
const NOISE_MS = 300;

/**
 * Seven receivers answer well at first, and each misbehaves in its own way then. The healthy ones beside them must not be slower. All
 * of the bad ones' deliveries end: delivered, or dead letters.
 */
export const BAD_RECEIVERS: Scenario = {
  number: 'F7',
  title:
    'receivers hang, drip, limit, are gone, fail, reset and answer 10 MB, and the healthy ones are as fast as before',
  async act(stage, chance) {
    const bad = [];
    for (const [name, treat] of Object.entries(MISBEHAVIOURS)) {
      const policy = { maxRetries: 2, initialDelay: 500, maxDelay: 1_000, backoffMultiplier: 2 };
      bad.push({ treat, ...(await stage.subscribe(name, { timeoutMs: 1_000, retryPolicy: policy })) });
    }
    const lasting = chance.lasting(CALM_SHORT_MS, CALM_LONG_MS);
    const calmFrom = Date.now();
    await sleep(lasting);
    const badFrom = Date.now();
    for (const { sink, treat } of bad) sink.behave(treat);
    await sleep(lasting);
    const badUntil = Date.now();
    for (const { sink } of bad) sink.behave(healthy);
    // An answer of 410 has disabled its subscription; the queue waits for a resume.
    for (const { id } of bad) await stage.client.subscriptions.resume(id);
    const calm = p99(arrivalsOf(stage, calmFrom, badFrom));
    const beside = p99(arrivalsOf(stage, badFrom, badUntil));
    stage.note('calmP99', calm);
    stage.note('besideBadP99', beside);
    if (beside > Math.max(calm * MOST_TIMES, calm + NOISE_MS))
      stage.report(`F7: healthy receivers had a p99 of ${beside} ms beside bad ones, and ${calm} ms before`);
  },
};

/** Time from the beginning of a publish to each healthy receiver, ms, for what was published in that time and has come. */
function arrivalsOf({ sent, received, subscriptions }: Stage, from: number, until: number): number[] {
  const healthyIds = new Set(subscriptions.map(({ id }) => id));
  const sentAt = new Map(sent.flatMap((entry) => (entry.kind === 'sent' ? [[entry.request, entry.at]] : [])));
  const publishedAt = new Map<string, number>();
  for (const entry of sent)
    if (entry.kind === 'acked') for (const id of entry.ids) publishedAt.set(id, sentAt.get(entry.request) ?? entry.at);
  return received.flatMap(({ message, subscription, at }) => {
    const published = publishedAt.get(message);
    const isMeant = published !== undefined && published >= from && published < until && healthyIds.has(subscription);
    return isMeant ? [at - published] : [];
  });
}
