import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createWaker } from '../../db/due.ts';
import type { HandOver, NewDelivery } from '../../publishing/hand-over.ts';
import { type AcceptedMessage, takeDue } from './due-store.ts';
import { type Match, type NewMessage, type Publication, storePublications } from '../../publishing/store.ts';
import type { PublishingConfig } from '../../publishing/configs/config-store.ts';

// Later than that tells of a worker that was away, or of more than it can publish.
const LATE_MS = 5_000;

/** Verdicts on messages of one channel: the version of its configuration, and the messages that its filters let through. */
export type Decision = { config: Pick<PublishingConfig, 'version' | 'filters'>; matches: readonly Match[] };

/** Messages that a transaction has published, for `handOn` after its commit. */
export type Made = { publishedAt: Date[]; taken: NewDelivery[]; hasUntaken: boolean };

export function createStoreDue({ pool, log, handOver }: { pool: Pool; log: Logger; handOver: HandOver }) {
  const wake = createWaker(pool, log);
  return {
    /**
     * Takes messages that this transaction has locked out of what waits and publishes them: whatever happens, each is in one
     * of both. `decisions` has all of their channels, which are active and have the configurations that were decided by.
     */
    async store(
      connection: PoolClient,
      ids: readonly string[],
      decisions: ReadonlyMap<string, Decision>,
    ): Promise<Made> {
      if (ids.length === 0) return { publishedAt: [], taken: [], hasUntaken: false };
      const messages = await takeDue(connection, ids);
      const publications = toPublications(messages, decisions);
      const { stored, ...made } = await storePublications(connection, publications, handOver.holder());
      if (stored.some(({ channelStatus, isStale }) => channelStatus !== 'active' || isStale))
        throw new Error('A scheduled message is due in a channel that cannot take it');
      return { publishedAt: messages.map(({ message }) => message.publishedAt), ...made };
    },

    handOn({ publishedAt, taken, hasUntaken }: Made): void {
      const lateMs = Date.now() - Math.min(...publishedAt.map((time) => time.getTime()));
      if (lateMs > LATE_MS) log.info({ messages: publishedAt.length, lateMs }, 'published scheduled messages late');
      if (taken.length > 0) handOver.take(taken);
      if (hasUntaken) wake(0);
    },
  };
}

type Group = Publication & { messages: NewMessage[]; matches?: Match[] };

/** One publication for each channel, trace and number of hops. */
function toPublications(
  taken: readonly AcceptedMessage[],
  decisions: ReadonlyMap<string, Decision>,
): readonly Publication[] {
  const groups = new Map<string, Group>();
  const groupOf = new Map<string, Group>();
  for (const { environmentId, channelId, message, trace, hops } of taken) {
    const key = [channelId, trace.traceparent, trace.tracestate, hops].join();
    const { config } = decisions.get(channelId) ?? {};
    const group = groups.get(key) ?? {
      environmentId,
      channelId,
      ...(config !== undefined && { configVersion: config.version }),
      ...(config !== undefined && config.filters.length > 0 && { matches: [] }),
      ...(trace.traceparent !== null && { trace }),
      ...(hops > 0 && { hops }),
      messages: [],
    };
    group.messages.push(message);
    groups.set(key, group);
    groupOf.set(message.id, group);
  }
  for (const { matches } of decisions.values())
    for (const match of matches) groupOf.get(match.messageId)?.matches?.push(match);
  return [...groups.values()];
}
