import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { type CrashGuard, WorkIsDeadly, WorkPauses } from '../../../platform/crashes/crash-guard.ts';
import type { Clock } from '../../../platform/dependencies.ts';
import { signPublish } from '../../../platform/db/sql/commit-order.ts';
import { inTransaction } from '../../../platform/db/transaction.ts';
import { isUnreachable } from '../../../platform/db/failures.ts';
import type { Filters } from '../../filters/filters.ts';
import {
  type FilterMatch,
  type NewMessage,
  type NewRun,
  learnWidth,
  rowsOfAll,
  WIDE_ROWS,
  type Publication,
} from '../../messages/publication.ts';
import {
  type PublishingConfigs,
  type PublishingConfig,
  createAsking,
  heardOf,
} from '../../publishing/configs/channel-configs.ts';
import type { NewId } from '../../../platform/new-id.ts';
import { runsOf } from '../../publishing/configs/new-runs.ts';
import { createHandOn, type HandOver, type NewDeliveries, type StorePublications } from '../../publishing/hand-over.ts';
import * as store from './due-store.ts';
import type { AcceptedMessage } from './due-store.ts';
import { createDueTurns, type InTurn } from './turns.ts';

// Limits of one transaction: tens of ms, and what it holds in memory.
const AT_ONCE = 250;
const BYTES_AT_ONCE = 4 * 1_048_576;
// Rows including deliveries and runs. A single message may exceed it.
const ROWS_AT_ONCE = WIDE_ROWS;
// During a rush: channels served per transaction, and how long the round-robin list of channels is used.
const CHANNELS_AT_ONCE = 25;
const TURNS_FOR_MS = 250;
// If a message cannot be stored, it is identified by publishing one at a time, and retried after this time.
const PUT_OFF_MS = 60_000;
// Three processes have crashed while evaluating filters for a message. By then, its filters may have changed.
const DEADLY_PUT_OFF_MS = 3_600_000;
// How long one batch evaluates filters. The remaining messages stay due, and channels are served in turn.
const ASK_FOR_MS = 250;

// A greater delay means that no worker was running or that there was more than it can publish.
const LATE_MS = 5_000;

/**
 * Result of a batch. `isMore`: the next one would find something at once. `nextInMs`: time until the next message is
 * due.
 */
export type PublishedDue = { messages: number; isMore: boolean; nextInMs: number | undefined };

/** Publishes the next batch. Rejects if nothing could be published. */
export type PublishDue = () => Promise<PublishedDue>;

type Dependencies = {
  pool: Pool;
  log: Logger;
  filters: Pick<Filters, 'evaluate'>;
  configs: PublishingConfigs;
  crashes: Pick<CrashGuard, 'during'>;
  storePublications: StorePublications;
  handOver: HandOver;
  newId: NewId;
  clock: Clock;
};

type Deciding = DueDecision & { matches: FilterMatch[]; runs: NewRun[] };

/** Messages that a transaction has published, for `handOnDue` after its commit. */
type Made = NewDeliveries & { publishedAt: Date[] };

/** Messages of one channel whose filters have to be evaluated, with its configuration at that time. */
type ToAsk = { config: PublishingConfig; messages: readonly store.AcceptedMessage[] };
/** `served`: the channels whose turn it was. `cut`: those among them whose messages did not fit into the batch. */
type Locked = Made & {
  toAsk: ReadonlyMap<string, ToAsk>;
  served: readonly InTurn[];
  cut: Set<string>;
  isMore: boolean;
};

/**
 * Publishes scheduled messages that are due, one batch at a time, and removes them from the waiting ones in the same
 * transaction, so that each is always in exactly one of the two places. Safe in several workers at once.
 *
 * While more is due than one batch holds, environments and their channels are served in turn. A batch is limited by the
 * rows it creates, so a message of a channel with many subscriptions may fill one. Payloads were validated when they
 * were accepted; the recipients are determined here. Filters are evaluated with no transaction open, and a second
 * transaction publishes the matching messages, if the channel is unchanged since then.
 */
export function createPublishDue({
  pool,
  log,
  filters,
  configs,
  crashes,
  storePublications,
  handOver,
  newId,
  clock,
}: Dependencies): PublishDue {
  const handOn = createHandOn({ pool, log, handOver });
  const turns = createDueTurns();
  let isRush = false;
  let turnsUntil = 0;
  // Number of batches with a single message that are still to run, after a batch has failed.
  let alone = 0;

  const lock = async (
    connection: PoolClient,
  ): Promise<{ due: store.DueMessage[]; served: InTurn[]; isFull: boolean }> => {
    const count = alone > 0 ? 1 : AT_ONCE;
    if (!isRush || alone > 0) {
      const due = await store.lockDueMessages(connection, count);
      const served = due.map(({ channelId, environmentId }) => ({ id: channelId, environmentId }));
      return { due, served, isFull: due.length === count };
    }
    if (turns.isEmpty() || performance.now() >= turnsUntil) {
      const startedAt = performance.now();
      turns.set(await store.findDueChannels(connection));
      // If reading the list takes long, read it less often.
      turnsUntil = performance.now() + Math.max(TURNS_FOR_MS, 10 * (performance.now() - startedAt));
    }
    const served = [...turns.next(CHANNELS_AT_ONCE)];
    const each = { count: Math.max(1, Math.floor(count / served.length)), now: clock() };
    const channelIds = served.map(({ id }) => id);
    const due = served.length === 0 ? [] : await store.lockDueOf(connection, channelIds, each);
    return { due, served, isFull: due.length > 0 };
  };

  /**
   * Removes messages that this transaction has locked from the waiting ones and publishes them. `decisions` has all of
   * their channels, which are active and have the configurations that the decisions were based on.
   */
  const publish = async (
    connection: PoolClient,
    ids: readonly string[],
    decisions: ReadonlyMap<string, DueDecision>,
  ): Promise<Made> => {
    if (ids.length === 0) return { publishedAt: [], taken: [], hasUntaken: false, hasRuns: false };
    const messages = await store.takeDue(connection, ids);
    const publications = toPublications(messages, decisions);
    // The transaction already has its number, so readers of all channels have been waiting for it; they can continue
    // now.
    if (rowsOfAll(publications) > WIDE_ROWS)
      await signPublish(
        connection,
        publications.map(({ channelId }) => channelId),
      );
    const { stored, routed, ...made } = await storePublications(connection, publications, handOver.holder());
    if (stored.some(({ channelStatus, isStale }) => channelStatus !== 'active' || isStale))
      throw new Error('A scheduled message is due in a channel that cannot accept it');
    for (const publication of publications) learnWidth(publication, routed);
    return { publishedAt: messages.map(({ message }) => message.publishedAt), ...made };
  };

  const handOnDue = ({ publishedAt, ...made }: Made): void => {
    const lateMs = clock().getTime() - Math.min(...publishedAt.map((time) => time.getTime()));
    if (lateMs > LATE_MS) log.info({ messages: publishedAt.length, lateMs }, 'published scheduled messages late');
    handOn(made, 0);
  };

  /**
   * Returns the current configurations of the locked channels. A channel whose configuration has just changed is left
   * to the next batch.
   */
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

  /** Publishes the messages without filters and reads the rest. */
  const publishUnfiltered = (locked: (ids: readonly string[]) => void): Promise<Locked> =>
    inTransaction(pool, async (connection) => {
      const { due, served, isFull } = await lock(connection);
      await store.setAside(
        connection,
        due.filter(({ channelStatus }) => channelStatus !== 'active'),
      );
      const open = due.filter(({ channelStatus }) => channelStatus === 'active');
      const fitting = store.withinBytes(open, BYTES_AT_ONCE);
      locked(fitting.map(({ id }) => id));
      const configOf = await configsOf(fitting);
      const known = fitting.filter(({ channelId }) => configOf.has(channelId));
      const rowsOf = ({ channelId }: store.DueMessage): number => 1 + (configOf.get(channelId)?.width.unfiltered ?? 0);
      const picked = store.withinRows(known, rowsOf, ROWS_AT_ONCE);
      locked(picked.map(({ id }) => id));
      // Workflow triggers are evaluated like filters, even those without a filter.
      const isFiltered = ({ channelId }: store.DueMessage): boolean => {
        const config = configOf.get(channelId);
        return config !== undefined && config.filters.length + config.triggers.length > 0;
      };
      const decisions = new Map(
        [...configOf].map(([id, config]): [string, DueDecision] => [id, { config, matches: [], runs: [] }]),
      );
      const plain = picked.filter((message) => !isFiltered(message));
      const filtered = picked.filter(isFiltered).map(({ id }) => id);
      const contents = filtered.length === 0 ? [] : await store.readDue(connection, filtered);
      const toAsk = new Map<string, ToAsk>();
      for (const [channelId, config] of configOf) {
        const messages = contents.filter((each) => each.channelId === channelId);
        if (messages.length > 0) toAsk.set(channelId, { config, messages });
      }
      const ids = plain.map(({ id }) => id);
      const made = await publish(connection, ids, decisions);
      const cut = new Set(
        open.filter((message) => !fitting.includes(message) || known.includes(message)).map(channelOf),
      );
      for (const message of picked) cut.delete(message.channelId);
      const isCut = fitting.length < open.length || picked.length < known.length;
      return { ...made, toAsk, served, cut, isMore: isFull || isCut };
    });

  /** Postpones a message during which processes have crashed, so that others can be published. */
  const putOffDeadly = async (messageId: string, failure: unknown): Promise<void> => {
    if (failure instanceof WorkPauses) return store.putOff(pool, messageId, Math.max(1_000, failure.inMs));
    if (!(failure instanceof WorkIsDeadly)) throw failure;
    log.error({ messageId }, `postponed a scheduled message by an hour: ${failure.message}`);
    await store.putOff(pool, messageId, DEADLY_PUT_OFF_MS);
  };

  /**
   * Evaluates one message after the other, of each channel in turn, until the time is up or there are enough rows, but
   * at least one message. `asked` has the channels that had a turn.
   */
  const ask = async (
    toAsk: ReadonlyMap<string, ToAsk>,
  ): Promise<{ ids: string[]; decisions: Map<string, Deciding>; asked: Set<string>; isCut: boolean }> => {
    const until = performance.now() + ASK_FOR_MS;
    const ids: string[] = [];
    const asked = new Set<string>();
    let rows = 0;
    const decisions = new Map<string, Deciding>();
    const asking = [...toAsk].map(([channelId, { config, messages }]) => {
      const decision: Deciding = { config, matches: [], runs: [] };
      decisions.set(channelId, decision);
      const begins = (message: NewMessage): Promise<NewRun[]> =>
        runsOf({ filters, newId }, { channelId }, config, message);
      return {
        channelId,
        decision,
        messages,
        width: config.width,
        ask: createAsking(filters, channelId, config),
        begins,
      };
    });
    const most = Math.max(0, ...asking.map(({ messages }) => messages.length));
    for (let position = 0; position < most; position += 1)
      for (const { channelId, decision, messages, width, ask: askAbout, begins } of asking) {
        const message = messages[position]?.message;
        if (message === undefined) continue;
        const isEnough = performance.now() >= until || rows + 1 + width.unfiltered > ROWS_AT_ONCE;
        if (ids.length > 0 && isEnough) return { ids, decisions, asked, isCut: true };
        const askAll = async (): Promise<void> => {
          const matches = await askAbout(message);
          const runs = await begins(message);
          decision.matches.push(...matches);
          decision.runs.push(...runs);
          ids.push(message.id);
          rows += 1 + width.unfiltered + matches.length + runs.length;
        };
        const work = { kind: 'scheduled message', id: channelId, part: message.id } as const;
        await crashes.during(work, askAll).catch((failure: unknown) => putOffDeadly(message.id, failure));
        asked.add(channelId);
      }
    return { ids, decisions, asked, isCut: false };
  };

  /**
   * Publishes the evaluated messages that are still due in channels that have not changed. The rest is evaluated again.
   */
  const publishAsked = (ids: readonly string[], decisions: ReadonlyMap<string, DueDecision>): Promise<Made> =>
    inTransaction(pool, async (connection) => {
      const due = await store.lockThese(connection, ids);
      const unchanged = due.filter(
        ({ channelId, channelStatus, configVersion }) =>
          channelStatus === 'active' && decisions.get(channelId)?.config.version === configVersion,
      );
      return publish(
        connection,
        unchanged.map(({ id }) => id),
        decisions,
      );
    });

  /** Runs a transaction that publishes. What it claims for this process is known only after its commit. */
  const claiming = <T>(work: () => Promise<T>): Promise<T> => handOver.holder()?.during(work) ?? work();

  const makeBatch = async (begun: (ids: readonly string[]) => void): Promise<{ messages: number; isMore: boolean }> => {
    const { toAsk, served, cut, isMore, ...unfiltered } = await claiming(() => publishUnfiltered(begun));
    handOnDue(unfiltered);
    if (toAsk.size === 0) {
      turns.done(served, cut);
      return { messages: unfiltered.publishedAt.length, isMore };
    }
    const { ids, decisions, asked, isCut } = await ask(toAsk);
    begun(ids);
    const filtered = await claiming(() => publishAsked(ids, decisions));
    handOnDue(filtered);
    for (const channelId of toAsk.keys()) if (!asked.has(channelId)) cut.add(channelId);
    turns.done(served, cut);
    return { messages: unfiltered.publishedAt.length + filtered.publishedAt.length, isMore: isMore || isCut };
  };

  return async () => {
    if (!isRush && alone === 0) {
      // Most polls find nothing, and cost one index lookup.
      const nextInMs = await store.nextMessageDueInMs(pool);
      if (nextInMs === undefined || nextInMs > 0) return { messages: 0, isMore: false, nextInMs };
    }
    let ids: readonly string[] = [];
    try {
      const { messages, isMore } = await makeBatch((begun) => {
        ids = begun;
      });
      alone = Math.max(0, alone - 1);
      isRush = isMore;
      if (!isMore) turns.clear();
      return { messages, isMore, nextInMs: isMore ? 0 : await store.nextMessageDueInMs(pool) };
    } catch (error) {
      const [id] = ids;
      if (id === undefined || isUnreachable(error)) throw error;
      if (ids.length > 1) alone = ids.length;
      else {
        log.error({ err: error, messageId: id }, 'could not publish a scheduled message; retrying in a minute');
        await store.putOff(pool, id, PUT_OFF_MS);
      }
      return { messages: 0, isMore: true, nextInMs: 0 };
    }
  };
}

const channelOf = ({ channelId }: store.DueMessage): string => channelId;

/** Decision for messages of one channel: the version of its configuration, and the matches of its filters. */
type DueDecision = {
  config: Pick<PublishingConfig, 'version' | 'filters' | 'listens' | 'width'>;
  matches: readonly FilterMatch[];
  /** Workflow runs that the messages start. */
  runs: readonly NewRun[];
};

type Group = Publication & { messages: NewMessage[]; matches?: FilterMatch[]; runs?: NewRun[] };

/** Returns one publication for each channel, trace and hop count. */
function toPublications(
  taken: readonly AcceptedMessage[],
  decisions: ReadonlyMap<string, DueDecision>,
): readonly Publication[] {
  const groups = new Map<string, Group>();
  const groupOf = new Map<string, Group>();
  for (const { environmentId, channelId, message, trace, hops } of taken) {
    const key = [channelId, trace.traceparent, trace.tracestate, hops].join();
    const { config } = decisions.get(channelId) ?? {};
    const group = groups.get(key) ?? {
      environmentId,
      channelId,
      ...(config !== undefined && { configVersion: config.version, width: config.width }),
      ...(config !== undefined && config.filters.length > 0 && { matches: [] }),
      ...(trace.traceparent !== null && { trace }),
      ...(hops > 0 && { hops }),
      messages: [],
    };
    group.messages.push(message);
    groups.set(key, group);
    groupOf.set(message.id, group);
  }
  for (const { matches, runs } of decisions.values()) {
    for (const match of matches) groupOf.get(match.messageId)?.matches?.push(match);
    for (const run of runs) {
      const group = groupOf.get(run.messageId);
      if (group !== undefined) group.runs = [...(group.runs ?? []), run];
    }
  }
  return [...groups.values()].map((group) => {
    const { config } = decisions.get(group.channelId) ?? {};
    const heard = config === undefined ? [] : heardOf(config, group.messages);
    return heard.length === 0 ? group : { ...group, heard };
  });
}
