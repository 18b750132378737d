import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../db/transaction.ts';
import { isUnreachable } from '../db/until-reachable.ts';
import type { Filters } from '../filters/filters.ts';
import { ApiError } from '../shared/api-error.ts';
import * as store from './due-store.ts';
import { createAsking } from './filtering.ts';
import type { Match } from './publish-store.ts';
import type { PublishingConfigs } from './publishing-configs.ts';
import type { PublishingConfig } from './publishing-store.ts';
import type { StoreDue } from './store-due.ts';

// Channels in the middle of a round; two threads decide for all of them.
const AT_ONCE = 4;
// One round of a channel: what it holds in memory, and how long it decides before what is decided is published.
const ROUND = { count: 100, bytes: 1_048_576, forMs: 1_000 } as const;
// A channel that is being changed, or filters that too much waits for.
const AGAIN_MS = 250;

/** Takes over the scheduled messages of channels whose filters need time. */
export type Beside = {
  /** It has them until nothing more of it is due. */
  add(channelId: string): void;
  /** The channels that it has, for everybody else to pass over. */
  channelIds(): readonly string[];
  /** Ends with the messages that are being decided about. */
  stop(): Promise<void>;
};

type Dependencies = {
  pool: Pool;
  log: Logger;
  filters: Pick<Filters, 'evaluate'>;
  configs: PublishingConfigs;
  storeDue: StoreDue;
  /** Of one that could not be published by itself. */
  putOff: (messageId: string, error: unknown) => Promise<void>;
};

/**
 * The channels take turns, a round each. A round reads what is due, asks the filters with no transaction open, and publishes
 * what is due still when the configuration is still the one that was asked: all else is asked about again.
 */
export function createBeside({ pool, log, filters, configs, storeDue, putOff }: Dependencies): Beside {
  const channels = new Set<string>();
  const running = new Set<Promise<void>>();
  // Rounds of one message that are still to be made, after one that failed.
  const alone = new Map<string, number>();
  let waiting: string[] = [];
  let isStopping = false;

  const read = (channelId: string): Promise<Due> =>
    inTransaction(pool, async (connection) => {
      const count = alone.has(channelId) ? 1 : ROUND.count;
      const due = await store.lockDueOf(connection, [channelId], { count, now: new Date() });
      const [channel] = due;
      if (channel === undefined || channel.channelStatus !== 'active') return { channel: undefined, messages: [] };
      const ids = store.withinBytes(due, ROUND.bytes).map(({ id }) => id);
      return { channel, messages: await store.readDue(connection, ids) };
    });

  /** As far as it comes in the time of a round; the first message at least. */
  const decide = async (config: PublishingConfig, { channel, messages }: Found): Promise<Decided> => {
    const ask = createAsking(filters, channel.channelId, config);
    const until = performance.now() + ROUND.forMs;
    const ids: string[] = [];
    const matches: (readonly Match[])[] = [];
    for (const { message } of messages) {
      if (ids.length > 0 && (isStopping || performance.now() >= until)) break;
      matches.push(await ask(message));
      ids.push(message.id);
    }
    return { ids, matches: matches.flat() };
  };

  const publish = (config: PublishingConfig, { ids, matches }: Decided) =>
    inTransaction(pool, async (connection) => {
      const due = await store.lockThese(connection, ids);
      const [channel] = due;
      const holds = channel?.channelStatus === 'active' && channel.configVersion === config.version;
      return storeDue.store(
        connection,
        holds ? due.map(({ id }) => id) : [],
        new Map(holds ? [[channel.channelId, { config, matches }]] : []),
      );
    });

  /** `over` when nothing of it can be had, `nothing` when all that was decided is to be decided again. */
  const makeRound = async (channelId: string, began: (ids: string[]) => void): Promise<'over' | 'nothing' | 'more'> => {
    const { channel, messages } = await read(channelId);
    if (channel === undefined) return 'over';
    began(messages.map(({ message }) => message.id));
    const config = await configs.newest(channel.environmentId, channelId);
    if (config === undefined) return 'over';
    const made = await publish(config, await decide(config, { channel, messages }));
    storeDue.handOn(made);
    const left = (alone.get(channelId) ?? 0) - 1;
    if (left > 0) alone.set(channelId, left);
    else alone.delete(channelId);
    return made.publishedAt.length > 0 ? 'more' : 'nothing';
  };

  const fail = async (channelId: string, ids: readonly string[], error: unknown): Promise<void> => {
    const [id] = ids;
    const isBusy = error instanceof ApiError && error.code === 'UNAVAILABLE';
    if (id === undefined || isBusy || isUnreachable(error)) {
      log.warn({ err: error, channelId }, 'scheduled messages of a channel wait for a moment');
    } else if (ids.length > 1) alone.set(channelId, ids.length);
    else await putOff(id, error);
  };

  const takeTurn = async (channelId: string): Promise<void> => {
    let ids: readonly string[] = [];
    try {
      const outcome = await makeRound(channelId, (begun) => {
        ids = begun;
      });
      if (outcome === 'more') waiting.push(channelId);
      else if (outcome === 'nothing') addLater(channelId);
      else {
        channels.delete(channelId);
        alone.delete(channelId);
      }
    } catch (error) {
      await fail(channelId, ids, error).catch((failure: unknown) => {
        log.warn({ err: failure, channelId }, 'scheduled messages of a channel wait for a moment');
      });
      addLater(channelId);
    }
  };

  const addLater = (channelId: string): void => {
    setTimeout(() => {
      waiting.push(channelId);
      begin();
    }, AGAIN_MS).unref();
  };

  const begin = (): void => {
    while (!isStopping && running.size < AT_ONCE) {
      const [channelId, ...others] = waiting;
      if (channelId === undefined) return;
      waiting = others;
      const turn = takeTurn(channelId).finally(() => {
        running.delete(turn);
        begin();
      });
      running.add(turn);
    }
  };

  return {
    add(channelId) {
      if (channels.has(channelId)) return;
      channels.add(channelId);
      waiting.push(channelId);
      begin();
    },
    channelIds: () => [...channels],
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

type Found = { channel: store.DueMessage; messages: readonly store.AcceptedMessage[] };
type Due = Found | { channel: undefined; messages: [] };
type Decided = { ids: readonly string[]; matches: readonly Match[] };
