import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { DUE_CHANNEL } from '../db/due.ts';
import { inTransaction } from '../db/transaction.ts';
import { isUnreachable } from '../db/until-reachable.ts';
import type { Filters } from '../filters/filters.ts';
import type { Schemas } from '../schemas/schemas.ts';
import type { HandOver, NewDelivery } from '../shared/hand-over.ts';
import { createCheckedPublish, type ToPublish } from './checked-publish.ts';
import * as store from './due-store.ts';
import { StaleConfigError } from './publish-rules.ts';
import { type NewMessage, type Publication, storePublications } from './publish-store.ts';

// One transaction: tens of ms, and what it holds in memory.
const AT_ONCE = 250;
const BYTES_AT_ONCE = 4 * 1_048_576;
// In a rush: channels that one transaction serves, and how old the list of those that take turns may be.
const CHANNELS_AT_ONCE = 25;
const TURNS_FOR_MS = 1_000;
// Some message cannot be stored: it is found by publishing one at a time, and tried again after this.
const PUT_OFF_MS = 60_000;
// Later than that tells of a worker that was away, or of more than it can publish.
const LATE_MS = 5_000;

/** What one batch has done. `isMore`: the next one would find something at once. `nextInMs`: until the next is due. */
export type PublishedDue = { messages: number; isMore: boolean; nextInMs: number | undefined };

type Dependencies = {
  pool: Pool;
  log: Logger;
  schemas: Pick<Schemas, 'check'>;
  filters: Pick<Filters, 'evaluate'>;
  handOver: HandOver;
};

/**
 * Publishes the next batch of scheduled messages that are due, and takes them out of what waits, in one transaction: whatever
 * happens, each is in one of both. Safe in several workers at once. While more is due than one batch, the channels that have
 * something take turns. Rejects when nothing could be published.
 */
export function createPublishDue({ pool, log, schemas, filters, handOver }: Dependencies): () => Promise<PublishedDue> {
  // Payloads were checked when they were accepted; what else decides over a publication does so now.
  const checked = createCheckedPublish(pool, { schemas, filters });
  let isRush = false;
  let turns: string[] = [];
  let turnsUntil = 0;
  // Batches of one message that are still to be made, after one that failed.
  let alone = 0;

  const lock = async (connection: PoolClient): Promise<{ due: store.DueMessage[]; isFull: boolean }> => {
    const count = alone > 0 ? 1 : AT_ONCE;
    if (!isRush || alone > 0) {
      const due = await store.lockDue(connection, count);
      return { due, isFull: due.length === count };
    }
    if (turns.length === 0 || Date.now() >= turnsUntil) {
      const startedAt = Date.now();
      const channelIds = await store.findDueChannels(connection);
      // Those that were served last come last.
      const last = turns[0] ?? '';
      turns = [...channelIds.filter((id) => id >= last), ...channelIds.filter((id) => id < last)];
      // Where the list takes long, it is made the less often.
      turnsUntil = Date.now() + Math.max(TURNS_FOR_MS, 10 * (Date.now() - startedAt));
    }
    const served = turns.splice(0, CHANNELS_AT_ONCE);
    turns.push(...served);
    const each = { count: Math.max(1, Math.floor(count / served.length)), now: new Date() };
    const due = served.length === 0 ? [] : await store.lockDueOf(connection, served, each);
    return { due, isFull: due.length > 0 };
  };

  const publishBatch = async (locked: (ids: readonly string[]) => void) =>
    inTransaction(pool, async (connection) => {
      const { due, isFull } = await lock(connection);
      await store.setAside(
        connection,
        due.filter(({ channelStatus }) => channelStatus !== 'active'),
      );
      const open = due.filter(({ channelStatus }) => channelStatus === 'active');
      const fitting = withinBytes(open);
      const ids = fitting.map(({ id }) => id);
      locked(ids);
      const isMore = isFull || fitting.length < open.length;
      if (ids.length === 0) return { publishedAt: [], taken: [], hasUntaken: false, isMore };
      const messages = await store.takeDue(connection, ids);
      const stored = await checked.publish(toRequests(messages), (publications) =>
        storeAll(connection, publications, handOver.holder()),
      );
      return { publishedAt: messages.map(({ message }) => message.publishedAt), ...stored, isMore };
    });

  const handOn = ({ taken, hasUntaken }: { taken: NewDelivery[]; hasUntaken: boolean }): void => {
    if (taken.length > 0) handOver.take(taken);
    if (!hasUntaken) return;
    pool.query('SELECT pg_notify($1, $2)', [DUE_CHANNEL, '']).catch((error: unknown) => {
      log.debug({ err: error }, 'dispatchers were not woken; they poll');
    });
  };

  return async () => {
    if (!isRush && alone === 0) {
      // Most looks find nothing, and cost one look into an index.
      const nextInMs = await store.nextDueInMs(pool);
      if (nextInMs === undefined || nextInMs > 0) return { messages: 0, isMore: false, nextInMs };
    }
    let ids: readonly string[] = [];
    try {
      const { publishedAt, isMore, ...made } = await publishBatch((locked) => {
        ids = locked;
      });
      handOn(made);
      alone = Math.max(0, alone - 1);
      isRush = isMore;
      if (!isMore) turns = [];
      const lateMs = Date.now() - Math.min(...publishedAt.map((time) => time.getTime()));
      if (lateMs > LATE_MS) log.info({ messages: publishedAt.length, lateMs }, 'published scheduled messages late');
      const nextInMs = isMore ? 0 : await store.nextDueInMs(pool);
      return { messages: publishedAt.length, isMore, nextInMs };
    } catch (error) {
      const [id] = ids;
      if (id === undefined || isUnreachable(error)) throw error;
      if (ids.length > 1) alone = ids.length;
      else {
        log.error({ err: error, messageId: id }, 'a scheduled message could not be published; it is tried again');
        await store.putOff(pool, id, PUT_OFF_MS);
      }
      return { messages: 0, isMore: true, nextInMs: 0 };
    }
  };
}

/** The first ones, as far as their payloads fit; one at least. */
function withinBytes(messages: readonly store.DueMessage[]): store.DueMessage[] {
  let bytes = 0;
  return messages.filter((message, index) => {
    bytes += message.bytes;
    return index === 0 || bytes <= BYTES_AT_ONCE;
  });
}

/** One publication for each channel and trace. */
function toRequests(taken: readonly store.TakenMessage[]): ToPublish[] {
  const groups = new Map<string, { publication: Publication & { messages: NewMessage[] }; payloads: [] }>();
  for (const { environmentId, channelId, message, trace } of taken) {
    const key = [channelId, trace.traceparent, trace.tracestate].join();
    const group = groups.get(key);
    if (group !== undefined) group.publication.messages.push(message);
    else {
      const traced = trace.traceparent === null ? {} : { trace };
      groups.set(key, { publication: { environmentId, channelId, ...traced, messages: [message] }, payloads: [] });
    }
  }
  return [...groups.values()];
}

/** Undoes what it has stored when a channel has another configuration than was checked. The locked channels are active. */
async function storeAll(connection: PoolClient, publications: readonly Publication[], holder: string | undefined) {
  await connection.query('SAVEPOINT publish_due');
  const { stored, ...made } = await storePublications(connection, publications, holder);
  if (stored.some(({ isStale }) => isStale)) {
    await connection.query('ROLLBACK TO SAVEPOINT publish_due');
    throw new StaleConfigError();
  }
  if (stored.some(({ channelStatus }) => channelStatus !== 'active'))
    throw new Error('A scheduled message is due in a channel that cannot take it');
  return made;
}
