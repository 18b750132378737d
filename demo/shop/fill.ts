import type { Posthorn } from '../../client/src/index.ts';
import { waitForCount, type Progress } from '../progress.ts';
import { createEvents, createRandom } from './events.ts';
import { sendInbound } from './inbound.ts';
import type { Receivers } from './receivers.ts';
import { behaveWell, breakAtDeployment, loseParcelCarrier, type Scene } from './scenes.ts';
import { markDeployment, setUpShop, type Shop } from './set-up.ts';
import { createTraffic, schedule, type Traffic } from './traffic.ts';
import { decideSome } from './workflows.ts';

export type FillOptions = {
  url: string;
  posthorn: Posthorn;
  receivers: Receivers;
  scene: Scene;
  /** Number of messages. */
  count: number;
  progress: Progress;
  signal: AbortSignal;
};

export type Filled = { shop: Shop; traffic: Traffic; lines: string[] };

// Long enough for a curve in the charts of a minute; with what follows, a fill ends within 60 to 90 s.
const LONGEST_TRAFFIC_MS = 25_000;
const MS_PER_MESSAGE = 70;
/** Part of the traffic before the deployment, and before Parcel carrier stops answering: its circuit opens at 90 % failures. */
const BEFORE_DEPLOYMENT = 0.4;
const BEFORE_TIMEOUTS = 0.05;
// A circuit breaker is open for 30 s before its probe decides about held deliveries; then five at a time become dead letters.
const PATIENCE_MS = 50_000;
const LOOK_EVERY_MS = 500;
// Any number: the demo looks alike each time.
const SEED = 42;
const MINUTE_MS = 60_000;

/** Creates the shop and its traffic, as the scene has it. Throws the reason of an aborted `signal`. */
export async function fillShop(options: FillOptions): Promise<Filled> {
  const { posthorn, receivers, scene, progress, signal } = options;
  const random = createRandom(SEED);
  const startedAt = new Date();
  behaveWell(receivers, random);
  const shop = await progress.during(
    'Creating the shop',
    () => '',
    () => setUpShop(posthorn, receivers, scene),
  );
  // By the clock, so that a second run has other orders.
  const events = createEvents(random, 10_000 + (Math.floor(startedAt.getTime() / MINUTE_MS) % 80_000));
  const traffic = createTraffic({ posthorn, channels: shop.channels, events, signal });
  if (scene === 'empty') return { shop, traffic, lines: await describe(options, shop, traffic) };
  if (scene === 'few') await fillFew(options, shop, traffic, events);
  else await fillMany(options, shop, traffic, events);
  await useInspectors(options.url, shop);
  const replays = scene === 'few' ? [] : await replaySome(posthorn, shop, startedAt);
  await settle(options, shop, replays);
  await decideSome(posthorn, shop.workflowIds);
  return { shop, traffic, lines: await describe(options, shop, traffic) };
}

type Of = ReturnType<typeof createEvents>;

async function fillMany(options: FillOptions, shop: Shop, traffic: Traffic, events: Of): Promise<void> {
  const { posthorn, receivers, scene, count, progress, url } = options;
  const isIncident = scene === 'incident';
  const lengthMs = Math.min(LONGEST_TRAFFIC_MS, count * MS_PER_MESSAGE);
  const deployment = Math.ceil(count * BEFORE_DEPLOYMENT);
  const timeouts = isIncident ? Math.ceil(count * BEFORE_TIMEOUTS) : deployment;
  const spread = (from: number, until: number) => traffic.spread(from, until, (lengthMs * (until - from)) / count);
  const state = (): string => `${traffic.published()} of ${count} published`;

  await progress.during('Publishing', state, async () => {
    await spread(0, timeouts);
    if (isIncident) loseParcelCarrier(receivers);
    await spread(timeouts, deployment);
    await sendInbound({ url, posthorn }, shop.webhooks, { accepted: 8, rejected: 3 });
    await markDeployment(posthorn);
    if (isIncident) {
      breakAtDeployment(receivers, createRandom(SEED));
      await receivers.shut('Ledger');
    }
    const middle = Math.ceil((deployment + count) / 2);
    await spread(deployment, middle);
    if (isIncident) await receivers.open('Ledger');
    await spread(middle, count);
    await schedule(posthorn, shop.channels.orders, events);
  });
}

/** Three messages, whose deliveries to ERP connector fail, and whose runs go three ways. */
async function fillFew(options: FillOptions, shop: Shop, traffic: Traffic, events: Of): Promise<void> {
  const { posthorn, receivers, progress, url } = options;
  const steps = createRandom(SEED);
  await progress.during(
    'Publishing',
    () => `${traffic.published()} of 3 published`,
    async () => {
      breakAtDeployment(receivers, steps);
      await traffic.publish([
        events.paidOrder(1_180, 'US'),
        events.paidOrder(3_420.5, 'DE'),
        events.paidOrder(2_749.9, 'FR'),
      ]);
      await sendInbound({ url, posthorn }, shop.webhooks.slice(1, 2), { accepted: 1, rejected: 1 });
      await markDeployment(posthorn);
      await schedule(posthorn, shop.channels.orders, events);
    },
  );
}

/**
 * Waits until no delivery and no replay makes progress. What is left then waits for a resume, or for the next probe of its circuit
 * breaker.
 */
async function settle(
  { posthorn, progress, signal }: FillOptions,
  shop: Shop,
  replays: readonly (() => Promise<boolean>)[],
): Promise<void> {
  const parcel = shop.subscriptions.get('Parcel carrier')?.id;
  let unfinished = 0;
  let letters = 0;
  const state = (): string => `${unfinished} unfinished, ${letters} dead letters`;
  const hasSettled = async (): Promise<number> => {
    const { pending, retrying, openDeadLetters } = await posthorn.stats.getBacklog();
    const { data: held } = await posthorn.deliveries.list({ held: 'true', limit: 100 }).page();
    // A circuit holds deliveries until a probe has failed; those of a disabled subscription wait for somebody.
    const stopped = held.filter(({ subscriptionId }) => subscriptionId !== parcel).length;
    letters = openDeadLetters.count;
    unfinished = pending.count + retrying.count - stopped;
    const areReplayed = await Promise.all(replays.map((isFinished) => isFinished()));
    return unfinished <= 0 && areReplayed.every(Boolean) ? 1 : 0;
  };
  const waiting = { patienceMs: PATIENCE_MS, signal, everyMs: LOOK_EVERY_MS };
  await progress.during('Delivering and retrying', state, () => waitForCount(1, hasSettled, waiting));
}

/** Sends an unsigned request and one with a wrong signature, in addition to those that Posthorn has signed. */
async function useInspectors(url: string, { inspectors }: Shop): Promise<void> {
  const [first, second] = inspectors;
  const body = JSON.stringify({ type: 'customer.updated', data: { id: 'cus_1813' } });
  const wrong = {
    'webhook-id': 'msg_unknown',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': 'v1,bm90IG91ciBzaWduYXR1cmU=',
  };
  const post = (id: string, path: string, headers: Record<string, string>) =>
    fetch(`${url}/inspect/${id}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  if (first !== undefined) await post(first.id, '', wrong);
  if (second !== undefined) for (const path of ['', '/by/hand']) await post(second.id, path, {});
}

/**
 * Asks for a replay of messages, one of dead letters whose receiver is back, and a retry of deliveries, and discards a dead letter.
 * Returns a question for each of the three, whether it has finished.
 */
async function replaySome(posthorn: Posthorn, shop: Shop, since: Date): Promise<(() => Promise<boolean>)[]> {
  const idOf = (name: string): string => shop.subscriptions.get(name)?.id ?? '';
  const settings = { since, eventTypes: ['order.paid'], ratePerSecond: 20 };
  const messages = await posthorn.subscriptions.replay(idOf('BI replica'), settings);
  const letters = await posthorn.deadLetters.replayAll({ subscriptionId: idOf('Ledger'), ratePerSecond: 10 });
  const filter = { subscriptionId: idOf('CRM sync'), status: 'delivered', since } as const;
  const retry = await posthorn.deliveries.retryAll({ ...filter, ratePerSecond: 10 });
  const [letter] = (await posthorn.deadLetters.list({ status: 'open', limit: 1 }).page()).data;
  if (letter !== undefined) await posthorn.deadLetters.discard(letter.id);
  const isOver = ({ status }: { status: string }): boolean => ['completed', 'cancelled', 'failed'].includes(status);
  return [
    async () => 'id' in messages && isOver(await posthorn.replays.get(messages.id)),
    async () => 'id' in letters && isOver(await posthorn.deadLetters.getBulkReplay(letters.id)),
    async () => 'id' in retry && isOver(await posthorn.deliveries.getBulkRetry(retry.id)),
  ];
}

/** One or two sentences about what there is now, and where to look. */
async function describe({ posthorn, url, scene }: FillOptions, shop: Shop, traffic: Traffic): Promise<string[]> {
  const { groups, examined } = await posthorn.deadLetters.group();
  const { data: runs } = await posthorn.runs.list({ limit: 100, outputs: 'false' }).page();
  const made = [
    `${Object.keys(shop.channels).length} channels`,
    `${shop.subscriptions.size} subscriptions`,
    `${traffic.published()} messages`,
    ...(scene === 'empty' ? [] : [`${runs.length === 100 ? 'at least 100' : runs.length} runs`]),
    ...(examined === 0 ? [] : [`${examined} open dead letters with ${groups.length} causes`]),
  ];
  return [`The shop is at ${url}/dashboard/: ${made.join(', ')}.`];
}
