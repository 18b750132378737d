import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../db/transaction.ts';
import { isUnreachable } from '../db/until-reachable.ts';
import type { Filters } from '../filters/filters.ts';
import type { HandOver } from '../shared/hand-over.ts';
import { createLru } from '../shared/lru.ts';
import * as store from './due-store.ts';
import { findMatchesAtOnce } from './filtering.ts';
import { createBeside } from './publish-beside.ts';
import { createPublishingConfigs } from './publishing-configs.ts';
import { loadPublishingConfig, type PublishingConfig } from './publishing-store.ts';
import { createStoreDue, type Decision, type Made } from './store-due.ts';

// One transaction: tens of ms, and what it holds in memory.
const AT_ONCE = 250;
const BYTES_AT_ONCE = 4 * 1_048_576;
// In a rush: channels that one transaction serves, and how old the list of those that take turns may be.
const CHANNELS_AT_ONCE = 25;
const TURNS_FOR_MS = 1_000;
// Some message cannot be stored: it is found by publishing one at a time, and tried again after this.
const PUT_OFF_MS = 60_000;
// How long a transaction may ask filters, each channel's for one turn of the event loop; the others come with the next batch.
const ASK_FOR_MS = 50;
// Channels whose filters have needed time, in the configuration they had then: they are not asked at once again for so long.
const SLOW = { channels: 10_000, forMs: 60_000 } as const;

/**
 * What one batch has done. `isMore`: the next one would find something at once. `nextInMs`: until the next is due. `beside`:
 * channels that are worked on beside the batches, of which neither tells.
 */
export type PublishedDue = { messages: number; isMore: boolean; nextInMs: number | undefined; beside: number };

export type PublishDue = {
  /** Publishes the next batch. Rejects when nothing could be published. */
  publishBatch(): Promise<PublishedDue>;
  /** Ends what is worked on beside the batches. */
  stop(): Promise<void>;
};

type Dependencies = {
  pool: Pool;
  log: Logger;
  filters: Pick<Filters, 'evaluate'>;
  handOver: HandOver;
};

/** What of a batch can be published, by which decisions, and the channels whose filters need time. */
type Decided = { ids: string[]; decisions: Map<string, Decision>; needTime: string[]; isCut: boolean };

/**
 * Publishes scheduled messages that are due, a batch at a time, and takes them out of what waits, in one transaction: whatever
 * happens, each is in one of both. Safe in several workers at once. While more is due than one batch, the channels that have
 * something take turns. Payloads were checked when they were accepted; who gets them is decided here. A channel whose filters
 * do not say so at once leaves the batches and is worked on beside them (publish-beside.ts).
 */
export function createPublishDue({ pool, log, filters, handOver }: Dependencies): PublishDue {
  const configs = createPublishingConfigs((...which) => loadPublishingConfig(pool, ...which));
  const storeDue = createStoreDue({ pool, log, handOver });
  const putOff = async (id: string, error: unknown): Promise<void> => {
    log.error({ err: error, messageId: id }, 'a scheduled message could not be published; it is tried again');
    await store.putOff(pool, id, PUT_OFF_MS);
  };
  const beside = createBeside({ pool, log, filters, configs, storeDue, putOff });
  const slowUntil = createLru<number>(SLOW.channels);
  let isRush = false;
  let turns: string[] = [];
  let turnsUntil = 0;
  // Batches of one message that are still to be made, after one that failed.
  let alone = 0;

  const lock = async (connection: PoolClient): Promise<{ due: store.DueMessage[]; isFull: boolean }> => {
    const count = alone > 0 ? 1 : AT_ONCE;
    const passedOver = beside.channelIds();
    // What is passed over may be much, and come first: turns do not read it.
    if ((!isRush && passedOver.length === 0) || alone > 0) {
      const due = await store.lockDue(connection, count, passedOver);
      return { due, isFull: due.length === count };
    }
    turns = turns.filter((id) => !passedOver.includes(id));
    if (turns.length === 0 || Date.now() >= turnsUntil) {
      const startedAt = Date.now();
      const channelIds = await store.findDueChannels(connection, passedOver);
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

  /** The configurations that the locked channels have now; one that has only just come up is left to the next batch. */
  const configsOf = async (due: readonly store.DueMessage[]): Promise<Map<string, PublishingConfig>> => {
    const found = new Map<string, PublishingConfig>();
    for (const { environmentId, channelId, configVersion } of due) {
      if (found.has(channelId)) continue;
      let config = await configs.of(environmentId, channelId);
      if (config?.version !== configVersion) config = await configs.newest(environmentId, channelId);
      if (config?.version === configVersion) found.set(channelId, config);
    }
    return found;
  };

  const decide = async (connection: PoolClient, due: readonly store.DueMessage[]): Promise<Decided> => {
    const configOf = await configsOf(due);
    const decisions = new Map<string, Decision>();
    const needTime: string[] = [];
    const toAsk = new Map<string, PublishingConfig>();
    for (const [channelId, config] of configOf) {
      if (config.filters.length === 0) decisions.set(channelId, { config, matches: [] });
      else if (Date.now() < (slowUntil.get(`${channelId} ${config.version}`) ?? 0)) needTime.push(channelId);
      else toAsk.set(channelId, config);
    }
    const ids = due.filter(({ channelId }) => toAsk.has(channelId)).map(({ id }) => id);
    const contents = ids.length === 0 ? [] : await store.readDue(connection, ids);
    const until = performance.now() + ASK_FOR_MS;
    for (const [channelId, config] of toAsk) {
      if (performance.now() >= until) break;
      const messages = contents.filter((each) => each.channelId === channelId).map(({ message }) => message);
      const matches = findMatchesAtOnce(filters, channelId, config, messages);
      if (matches !== undefined) decisions.set(channelId, { config, matches });
      else {
        needTime.push(channelId);
        slowUntil.set(`${channelId} ${config.version}`, Date.now() + SLOW.forMs, 1);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return {
      ids: due.filter(({ channelId }) => decisions.has(channelId)).map(({ id }) => id),
      decisions,
      needTime,
      isCut: decisions.size + needTime.length < configOf.size,
    };
  };

  const makeBatch = (
    locked: (ids: readonly string[]) => void,
  ): Promise<Made & { needTime: readonly string[]; isMore: boolean }> =>
    inTransaction(pool, async (connection) => {
      const { due, isFull } = await lock(connection);
      await store.setAside(
        connection,
        due.filter(({ channelStatus }) => channelStatus !== 'active'),
      );
      const open = due.filter(({ channelStatus }) => channelStatus === 'active');
      const fitting = store.withinBytes(open, BYTES_AT_ONCE);
      locked(fitting.map(({ id }) => id));
      const { ids, decisions, needTime, isCut } = await decide(connection, fitting);
      const made = await storeDue.store(connection, ids, decisions);
      return { ...made, needTime, isMore: isFull || isCut || fitting.length < open.length };
    });

  const publishBatch = async (): Promise<PublishedDue> => {
    const before = beside.channelIds();
    // One that has come back meanwhile may have been passed over.
    const countBeside = (): number => Math.max(before.length, beside.channelIds().length);
    if (!isRush && alone === 0) {
      // Most looks find nothing, and cost one look into an index.
      const nextInMs = await store.nextDueInMs(pool, before);
      if (nextInMs === undefined || nextInMs > 0)
        return { messages: 0, isMore: false, nextInMs, beside: before.length };
    }
    let ids: readonly string[] = [];
    try {
      const { needTime, isMore, ...made } = await makeBatch((locked) => {
        ids = locked;
      });
      // Only now, when nothing of them is locked any more.
      for (const channelId of needTime) beside.add(channelId);
      storeDue.handOn(made);
      alone = Math.max(0, alone - 1);
      isRush = isMore;
      if (!isMore) turns = [];
      const nextInMs = isMore ? 0 : await store.nextDueInMs(pool, beside.channelIds());
      return { messages: made.publishedAt.length, isMore, nextInMs, beside: countBeside() };
    } catch (error) {
      const [id] = ids;
      if (id === undefined || isUnreachable(error)) throw error;
      if (ids.length > 1) alone = ids.length;
      else await putOff(id, error);
      return { messages: 0, isMore: true, nextInMs: 0, beside: countBeside() };
    }
  };

  return { publishBatch, stop: beside.stop };
}
