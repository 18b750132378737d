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
// A circuit is open for 30 s before its probe decides about what has waited.
const PATIENCE_MS = 40_000;
const LOOK_EVERY_MS = 500;
// Any number: the demo looks alike each time.
const SEED = 42;
/** Orders count from here by the seconds of the clock, so that a second run has others. */
const FIRST_ORDER = 10_000;

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
  const events = createEvents(random, FIRST_ORDER + (Math.floor(startedAt.getTime() / 1_000) % 10_000_000));
  const traffic = createTraffic({ posthorn, channels: shop.channels, events, signal });
  if (scene === 'empty') return { shop, traffic, lines: await describe(options, shop, traffic) };
  if (scene === 'few') await fillFew(options, shop, traffic, events);
  else await fillMany(options, shop, traffic, events);
  await settle(options, shop);
  await useInspectors(posthorn, options.url, shop);
  await decideSome(posthorn, shop.workflowIds);
  if (scene !== 'few') await replaySome(posthorn, shop, startedAt);
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

/** Waits until no delivery moves any more: what remains unfinished then waits for a resume or for the next probe. */
async function settle({ posthorn, progress, signal, scene }: FillOptions, shop: Shop): Promise<void> {
  const parcel = shop.subscriptions.get('Parcel carrier')?.id;
  let unfinished = 0;
  let letters = 0;
  const state = (): string => `${unfinished} unfinished, ${letters} dead letters`;
  await progress.during('Delivering and retrying', state, () =>
    waitForCount(
      1,
      async () => {
        const { pending, retrying, openDeadLetters } = await posthorn.stats.getBacklog();
        letters = openDeadLetters.count;
        const { data: held } = await posthorn.deliveries.list({ held: 'true', limit: 100 }).page();
        unfinished = pending.count + retrying.count - held.length;
        if (unfinished > 0) return 0;
        // The circuit of Parcel carrier holds its deliveries until a probe has failed.
        const waits = held.some(({ subscriptionId }) => subscriptionId === parcel);
        return scene === 'incident' && waits ? 0 : 1;
      },
      { patienceMs: PATIENCE_MS, signal, everyMs: LOOK_EVERY_MS },
    ),
  );
}

/** An unsigned request and one with a wrong signature, beside those that Posthorn has signed. */
async function useInspectors(posthorn: Posthorn, url: string, { inspectors }: Shop): Promise<void> {
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
  // The list of requests is written within the second.
  if (first !== undefined) await posthorn.inspectors.listRequests(first.id, { limit: 1 }).page();
}

/** A replay of messages, of dead letters that succeed now, of one message, and a retry of deliveries. */
async function replaySome(posthorn: Posthorn, shop: Shop, since: Date): Promise<void> {
  const idOf = (name: string): string => shop.subscriptions.get(name)?.id ?? '';
  await posthorn.subscriptions.replay(idOf('BI replica'), { since, eventTypes: ['order.paid'], ratePerSecond: 20 });
  await posthorn.deadLetters.replayAll({ subscriptionId: idOf('Ledger'), ratePerSecond: 10 });
  await posthorn.deliveries.retryAll({
    subscriptionId: idOf('CRM sync'),
    status: 'delivered',
    since,
    ratePerSecond: 10,
  });
  const [letter] = (await posthorn.deadLetters.list({ status: 'open', limit: 1 }).page()).data;
  if (letter !== undefined) await posthorn.deadLetters.discard(letter.id);
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
