import { eraseDeliveries } from '../src/delivery/record/statements/remove.ts';
import { storePublications } from '../src/delivery/record/statements/publish.ts';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { findChannels } from '../src/messaging/channels/store.ts';
import type { Database, DatabaseTransaction } from '../src/platform/db/client.ts';
import { inTransaction } from '../src/platform/db/transaction.ts';
import type { DeadLetterFilter } from '../src/delivery/dead-letters/filter-store.ts';
import { listDeadLetters } from '../src/delivery/dead-letters/store.ts';
import { judge } from '../src/delivery/attempt/judge.ts';
import { loadForAttempts } from '../src/delivery/attempt/load.ts';
import { createRecorder } from '../src/delivery/attempt/recorder.ts';
import { endOfSubscriptions } from '../src/delivery/record/statements/end.ts';
import { findDelivery, listAttempts, listDeliveries } from '../src/delivery/record/store.ts';
import { type ClaimedDelivery, describeHeld, setCarrier } from '../src/delivery/record/statements/claim.ts';
import { releaseDeliveries } from '../src/delivery/record/statements/release.ts';
import { createDueRows } from '../src/delivery/queue/loop/claims/due-rows.ts';
import { findEverywhere } from '../src/delivery/queue/loop/claims/find-due.ts';
import { tellHighBacklogs } from '../src/delivery/queue/recovery/backlog-events.ts';
import { takeOverFromDead } from '../src/delivery/queue/recovery/incarnation.ts';
import { createPaced } from '../src/delivery/queue/recovery/pace.ts';
import { reconcileOverdue, restAfterLook } from '../src/delivery/queue/recovery/reconciler.ts';
import { settleHeld } from '../src/delivery/queue/recovery/settle-held.ts';
import { eraseMessage } from '../src/messaging/messages/erasure-store.ts';
import { createCommit } from '../src/messaging/publishing/commit.ts';
import { findMessage, listMessages } from '../src/messaging/messages/store.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { restartLostReplays } from '../src/delivery/replays/batches.ts';
import { countOpenOnes } from '../src/delivery/replays/dead-letter-store.ts';
import {
  expiredChannels,
  removeBatch,
  removeDeletedChannels,
  removeDeletedSubscriptions,
} from '../src/delivery/retention/retention-store.ts';
import { type IdKind, lowestIdAt } from '../src/kernel/values/ids.ts';
import { retentionLimits } from '../src/kernel/rules/resource-bounds.ts';
import type { DeliveryStatus } from '../src/kernel/words/statuses.ts';
import { findSubscriptions } from '../src/messaging/subscriptions/store.ts';
import { BUSY, CALM } from './growth-fill.ts';
import { plainUnit } from './plain-unit.ts';

/** A query of the service, by its own code. `run` may ask several statements. */
export type Query = { name: string; run: () => Promise<unknown> };
export type Questioned = {
  db: Database;
  pool: Pool;
  environmentId: string;
  /** A transaction under row-level security, as services read lists. */
  asCaller: <T>(list: (transaction: DatabaseTransaction) => Promise<T>) => Promise<T>;
};

const newId = createNewId(Date.now);
const HOLDER = 'inc_growth';
const page = (after?: string) => ({ limit: 50, after });
const idAgo = (kind: IdKind, days: number): string => lowestIdAt(kind, new Date(Date.now() - days * 86_400_000));
/** One frequent value, all values of that kind, and one that never was. */
const TYPES = [BUSY.eventType, 'growth.*', 'never'];

/** Every list of the API: first page, a page far behind, and each filter once with many rows behind it and once with few. */
export async function listQueries({ asCaller, environmentId }: Questioned): Promise<Query[]> {
  const busy = { environmentId, channelId: BUSY.channelId };
  const {
    messages: [middle],
  } = await asCaller((db) => listMessages(db, { ...busy, ids: { before: idAgo('message', 15) } }, page()));
  const messageId = middle?.id ?? '';
  const { deliveries } = await asCaller((db) => listDeliveries(db, { environmentId, messageId }, page(), new Date()));
  const deliveryId = deliveries[0]?.id ?? '';
  const queries: Query[] = [
    { name: 'messages of a busy channel', run: () => asCaller((db) => listMessages(db, busy, page())) },
    {
      name: 'messages of a busy channel, far behind',
      run: () => asCaller((db) => listMessages(db, busy, page(messageId))),
    },
    ...TYPES.map((eventType) => ({
      name: `messages of a busy channel, ${eventType}`,
      run: () => asCaller((db) => listMessages(db, { ...busy, eventType }, page())),
    })),
    {
      name: 'messages of a calm channel in a day',
      run: () =>
        asCaller((db) =>
          listMessages(
            db,
            {
              environmentId,
              channelId: CALM.channelId,
              ids: { from: idAgo('message', 9), before: idAgo('message', 8) },
            },
            page(),
          ),
        ),
    },
    { name: 'one message', run: () => asCaller((db) => findMessage(db, environmentId, messageId)) },
    { name: 'one delivery', run: () => asCaller((db) => findDelivery(db, environmentId, deliveryId, new Date())) },
    { name: 'attempts of a delivery', run: () => asCaller((db) => listAttempts(db, deliveryId, page())) },
    ...[{}, { status: 'archived' as const }].map((filter) => ({
      name: ['channels', ...Object.values(filter)].join(', '),
      run: () => asCaller((db) => findChannels(db, environmentId, page(), filter, { hasSchemas: true })),
    })),
    {
      name: 'subscriptions',
      run: () => asCaller((db) => findSubscriptions(db, environmentId, page(), {}, new Date())),
    },
    {
      name: 'subscriptions of a channel',
      run: () =>
        asCaller((db) => findSubscriptions(db, environmentId, page(), { channelId: CALM.channelId }, new Date())),
    },
    {
      name: 'subscriptions, paused',
      run: () => asCaller((db) => findSubscriptions(db, environmentId, page(), { status: 'paused' }, new Date())),
    },
    ...deliveryQueries(asCaller, environmentId, { messageId, deliveryId }),
    ...deadLetterQueries(asCaller, environmentId),
  ];
  return queries;
}

function deliveryQueries(
  asCaller: Questioned['asCaller'],
  environmentId: string,
  at: { messageId: string; deliveryId: string },
): Query[] {
  const statuses: DeliveryStatus[] = ['pending', 'retrying', 'delivered', 'failed'];
  const all = { environmentId };
  const ids = { from: idAgo('delivery', 9), before: idAgo('delivery', 8) };
  const query = (name: string, filter: object, after?: string): Query => ({
    name: `deliveries${name}`,
    run: () => asCaller((db) => listDeliveries(db, { ...all, ...filter }, page(after), new Date())),
  });
  return [
    query('', {}),
    query(', far behind', {}, at.deliveryId),
    query(' of a message', { messageId: at.messageId }),
    query(' of a message, failed', { messageId: at.messageId, status: 'failed' }),
    ...statuses.map((status) => query(`, ${status}`, { status })),
    ...statuses.map((status) => query(`, ${status}, far behind`, { status }, at.deliveryId)),
    query(' of a busy subscription', { subscriptionId: BUSY.subscriptionId }),
    query(' of a calm subscription', { subscriptionId: CALM.subscriptionId }),
    ...statuses.map((status) =>
      query(` of a busy subscription, ${status}`, { subscriptionId: BUSY.subscriptionId, status }),
    ),
    query(' of a calm subscription, failed', { subscriptionId: CALM.subscriptionId, status: 'failed' }),
    query(' of a day', { ids }),
    query(', answered slowly', { minLatencyMs: 5_000 }),
    query(', failed by a rare class', { errorClass: 'tls' }),
    query(' of a busy channel', { channelId: BUSY.channelId }),
    query(' of a busy channel in a day', { channelId: BUSY.channelId, ids }),
    ...statuses.map((status) => query(` of a busy channel, ${status}`, { channelId: BUSY.channelId, status })),
    ...TYPES.flatMap((eventType) => [
      query(`, ${eventType}`, { eventType }),
      query(` of a busy channel, ${eventType}`, { channelId: BUSY.channelId, eventType }),
      query(` of a busy subscription, ${eventType}`, { subscriptionId: BUSY.subscriptionId, eventType }),
    ]),
  ];
}

function deadLetterQueries(asCaller: Questioned['asCaller'], environmentId: string): Query[] {
  const all = { environmentId };
  const query = (name: string, filter: Partial<DeadLetterFilter>): Query => ({
    name: `dead letters${name}`,
    run: () => asCaller((db) => listDeadLetters(db, { ...all, ...filter }, page())),
  });
  return [
    query('', {}),
    query(', open', { status: ['open'] }),
    query(', discarded (none)', { status: ['discarded'] }),
    query(' of a calm channel', { channelId: CALM.channelId }),
    query(' of a busy subscription, open', { subscriptionId: BUSY.subscriptionId, status: ['open'] }),
    ...TYPES.map((eventType) => query(`, ${eventType}`, { eventType })),
    query(', gone (none)', { reason: 'gone' }),
    query(' of runs (none)', { kind: 'run' }),
    query(' of a message (none)', { messageId: 'msg_none' }),
    query(' of a week', { ids: { from: idAgo('deadLetter', 14), before: idAgo('deadLetter', 7) } }),
    {
      name: 'dead letters counted for a bulk replay',
      run: () =>
        asCaller((db) => countOpenOnes(db, environmentId, { subscriptionId: BUSY.subscriptionId, until: new Date() })),
    },
  ];
}

/** The hot statements and the chores, in the order of a delivery's life. They change rows, as in service. */
export function hotQueries({ db, pool, environmentId }: Questioned): Query[] {
  const taken: string[] = [];
  const commit = createCommit({
    storePublications,
    pool,
    log: pino({ level: 'silent' }),
    handOver: {
      holder: () => ({ incarnationId: HOLDER, atMost: 1_000, during: (publish) => publish() }),
      take: (found) => taken.push(...found.map(({ id }) => id)),
    },
    streams: { wake: () => undefined },
  });
  const recorder = createRecorder({ pool, newId });
  const due = createDueRows({ pool, incarnationId: HOLDER });
  const claim = async (lane: 'first' | 'retry', count = 20): Promise<ClaimedDelivery[]> => {
    due.expect();
    await due.look();
    return due.claim(lane, { count, perSubscription: 2, except: [] });
  };
  const publish = () =>
    commit(
      plainUnit(environmentId, BUSY.channelId, {
        id: newId('message'),
        eventType: BUSY.eventType,
        payload: '{}',
        metadata: undefined,
        publishedAt: new Date(),
      }),
    );
  const record = async (): Promise<void> => {
    const sent = { startedAt: new Date(), durationMs: 1, isDelivered: true };
    const found = await loadForAttempts(pool, taken.splice(0));
    await Promise.all(
      found.map((delivery) =>
        recorder.record({
          delivery,
          number: 1,
          carrier: 'drain/growth',
          keepsCarrier: false,
          sent,
          judgement: judge(delivery, sent, new Date(), { isProbe: false, isLastChance: false }),
        }),
      ),
    );
  };
  const recordFailure = async (): Promise<void> => {
    const error = { class: 'status', message: 'answered 500' } as const;
    const sent = { startedAt: new Date(), durationMs: 1, isDelivered: false, error };
    const [claimed] = await claim('first', 1);
    const [delivery] = await loadForAttempts(pool, claimed === undefined ? [] : [claimed.id]);
    if (delivery === undefined) return;
    const judgement = judge(delivery, sent, new Date(), { isProbe: false, isLastChance: false });
    await recorder.record({ delivery, number: 1, carrier: 'drain/growth', keepsCarrier: false, sent, judgement });
  };
  const claimAndGiveBack = async (): Promise<void> => {
    const claimed = await claim('first');
    const ids = claimed.map(({ id }) => id);
    await describeHeld(pool, ids, HOLDER);
    const [first] = claimed;
    if (first !== undefined) await setCarrier(pool, { ...first, incarnationId: HOLDER, carrier: 'delivery/growth/1' });
    await releaseDeliveries(pool, { ids, incarnationId: HOLDER });
  };
  const paced = createPaced(restAfterLook);
  const unknown = async () => undefined;
  const carriers = { stateOf: async () => 'running' as const, terminatedDeliveries: async () => [], whyEnded: unknown };
  return [
    { name: 'publish', run: publish },
    { name: 'load and record', run: record },
    { name: 'claim, describe, carry, give back', run: claimAndGiveBack },
    { name: 'claim of retries', run: () => claim('retry') },
    { name: 'all that is due', run: () => findEverywhere(pool) },
    { name: 'record of a failure', run: recordFailure },
    { name: 'count of a backlog', run: () => due.count(501) },
    { name: 'takeover from dead workers', run: () => takeOverFromDead(pool) },
    {
      name: 'reconciler',
      run: () => {
        const repairs = [() => restartLostReplays({ pool, carriers })];
        const record = async (): Promise<void> => undefined;
        const log = pino({ level: 'silent' });
        return reconcileOverdue({ pool, carriers, log, record, paced, repairs }, () => undefined);
      },
    },
    { name: 'held by open circuits', run: async () => void (await settleHeld(pool)) },
    { name: 'high backlogs', run: () => tellHighBacklogs(pool) },
    { name: 'end what is unfinished of a subscription', run: () => endOfSubscriptions(pool, [CALM.subscriptionId]) },
    ...retentionQueries({ db, pool, environmentId }),
  ];
}

/** Removal of messages 20 days old and more. Later queries do not see the removed rows, as in service. */
function retentionQueries({ db, pool, environmentId }: Omit<Questioned, 'asCaller'>): Query[] {
  const now = new Date();
  const limits = retentionLimits(now);
  const channels = [BUSY, CALM].map(({ channelId }) => ({ id: channelId, limit: limits[19] ?? '' }));
  const eraseNext = async (): Promise<void> => {
    const [message] = await db.message.findMany({
      where: { channelId: BUSY.channelId, erasedAt: null },
      orderBy: { id: 'desc' },
      take: 1,
    });
    await eraseMessage((work) => inTransaction(pool, work), environmentId, message?.id ?? '', {
      tell: async () => undefined,
      eraseDeliveries,
    });
  };
  return [
    { name: 'channels with expired messages', run: () => expiredChannels(pool, { after: '', limits }) },
    { name: 'removal of expired messages', run: () => removeBatch(pool, { channels, after: '' }) },
    { name: 'removal of deleted subscriptions', run: () => removeDeletedSubscriptions(pool, now) },
    {
      name: 'removal of deleted channels',
      run: () => removeDeletedChannels(pool, now, pino({ level: 'silent' })),
    },
    { name: 'erasure of a message', run: eraseNext },
  ];
}
