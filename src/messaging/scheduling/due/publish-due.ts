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

// One transaction: tens of ms, and what it holds in memory.
const AT_ONCE = 250;
const BYTES_AT_ONCE = 4 * 1_048_576;
// With their deliveries and runs; a single message may come to more.
const ROWS_AT_ONCE = WIDE_ROWS;
// In a rush: channels that one transaction serves, and how old the list of those that take turns may be.
const CHANNELS_AT_ONCE = 25;
const TURNS_FOR_MS = 250;
// Some message cannot be stored: it is found by publishing one at a time, and tried again after this.
const PUT_OFF_MS = 60_000;
// Three processes have died while they asked filters about a message. Other filters may be asked by then.
const DEADLY_PUT_OFF_MS = 3_600_000;
// How long one batch asks filters; the messages that it does not come to are due still, and channels take turns.
const ASK_FOR_MS = 250;

// Later than that tells of a worker that was away, or of more than it can publish.
const LATE_MS = 5_000;

/** Result of one batch. `isMore`: the next one would find something at once. `nextInMs`: until the next is due. */
export type PublishedDue = { messages: number; isMore: boolean; nextInMs: number | undefined };

/** Publishes the next batch. Rejects when nothing could be published. */
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

/** Messages of one channel whose filters are to be asked, in the configuration it had then. */
type ToAsk = { config: PublishingConfig; messages: readonly store.AcceptedMessage[] };
/** `served`: the channels whose turn it was. `cut`: those among them whose messages did not fit into the batch. */
type Locked = Made & {
  toAsk: ReadonlyMap<string, ToAsk>;
  served: readonly InTurn[];
  cut: Set<string>;
  isMore: boolean;
};

/**
 * Publishes scheduled messages that are due, a batch at a time, and takes them out of what waits, in one transaction: whatever
 * happens, each is in one of both. Safe in several workers at once. While more is due than one batch holds, environments take turns, and
 * so do their channels. A batch is bounded by the rows that come of it: a message of a wide channel may be all of one. Payloads were
 * checked when they were accepted; who gets them is decided here. Filters are asked with no transaction open, and what they let through
 * is published by a second one, where the channel is as it was when they were asked.
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
  // Batches of one message that are still to be made, after one that failed.
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
      // Where the list takes long, it is made the less often.
      turnsUntil = performance.now() + Math.max(TURNS_FOR_MS, 10 * (performance.now() - startedAt));
    }
    const served = [...turns.next(CHANNELS_AT_ONCE)];
    const each = { count: Math.max(1, Math.floor(count / served.length)), now: clock() };
    const channelIds = served.map(({ id }) => id);
    const due = served.length === 0 ? [] : await store.lockDueOf(connection, channelIds, each);
    return { due, served, isFull: due.length > 0 };
  };

  /**
   * Takes messages that this transaction has locked out of what waits and publishes them: whatever happens, each is in one
   * of both. `decisions` has all of their channels, which are active and have the configurations that were decided by.
   */
  const publish = async (
    connection: PoolClient,
    ids: readonly string[],
    decisions: ReadonlyMap<string, DueDecision>,
  ): Promise<Made> => {
    if (ids.length === 0) return { publishedAt: [], taken: [], hasUntaken: false, hasRuns: false };
    const messages = await store.takeDue(connection, ids);
    const publications = toPublications(messages, decisions);
    // The transaction has its number already: readers of all channels have waited for it since then, and go on now.
    if (rowsOfAll(publications) > WIDE_ROWS)
      await signPublish(
        connection,
        publications.map(({ channelId }) => channelId),
      );
    const { stored, routed, ...made } = await storePublications(connection, publications, handOver.holder());
    if (stored.some(({ channelStatus, isStale }) => channelStatus !== 'active' || isStale))
      throw new Error('A scheduled message is due in a channel that cannot take it');
    for (const publication of publications) learnWidth(publication, routed);
    return { publishedAt: messages.map(({ message }) => message.publishedAt), ...made };
  };

  const handOnDue = ({ publishedAt, ...made }: Made): void => {
    const lateMs = clock().getTime() - Math.min(...publishedAt.map((time) => time.getTime()));
    if (lateMs > LATE_MS) log.info({ messages: publishedAt.length, lateMs }, 'published scheduled messages late');
    handOn(made, 0);
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

  /** Publishes what no filter is asked about, and reads the rest. */
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
      // Triggers of workflows are asked as filters are, those without a filter too.
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

  /** A message during which processes have died waits, and others are published. */
  const putOffDeadly = async (messageId: string, failure: unknown): Promise<void> => {
    if (failure instanceof WorkPauses) return store.putOff(pool, messageId, Math.max(1_000, failure.inMs));
    if (!(failure instanceof WorkIsDeadly)) throw failure;
    log.error({ messageId }, `a scheduled message is put off by an hour: ${failure.message}`);
    await store.putOff(pool, messageId, DEADLY_PUT_OFF_MS);
  };

  /**
   * Asks about one message after the other, of each channel in turn, until the time is up or the rows are enough; about one message
   * at least. `asked` has the channels that had a turn.
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

  /** Publishes the evaluated messages that are due still in channels that have not changed; the rest is evaluated again. */
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

  /** Runs a transaction that publishes: what it claims for this process is known only after its commit. */
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
      // Most looks find nothing, and cost one look into an index.
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
        log.error({ err: error, messageId: id }, 'a scheduled message could not be published; it is tried again');
        await store.putOff(pool, id, PUT_OFF_MS);
      }
      return { messages: 0, isMore: true, nextInMs: 0 };
    }
  };
}

const channelOf = ({ channelId }: store.DueMessage): string => channelId;

/** Verdicts on messages of one channel: the version of its configuration, and the messages that its filters let through. */
type DueDecision = {
  config: Pick<PublishingConfig, 'version' | 'filters' | 'listens' | 'width'>;
  matches: readonly FilterMatch[];
  /** Runs of workflows that the messages begin. */
  runs: readonly NewRun[];
};

type Group = Publication & { messages: NewMessage[]; matches?: FilterMatch[]; runs?: NewRun[] };

/** One publication for each channel, trace and number of hops. */
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
