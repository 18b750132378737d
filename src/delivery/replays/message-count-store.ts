import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import { IS_WANTED } from './message-store.ts';
import type { MessageReplayPreview } from './schema.ts';

/** Messages of a channel that a replay to one subscription is about: from one id on, before another one. */
export type CountedSpan = {
  subscriptionId: string;
  channelId: string;
  from: string;
  before: string;
  eventTypes: readonly string[];
  onlyMissing: boolean;
};
export type CountedMessages = Pick<MessageReplayPreview, 'matched' | 'isExact' | 'oldest'>;
type Found = { id: string; eventType: string };

// Messages looked at for a count without a filter: a second or two, however many are stored.
const MOST_COUNTED = 100_000;

/** Parts of a subscription that a count depends on; undefined once it is deleted. */
export async function findCounted(
  db: DatabaseTransaction,
  id: string,
): Promise<{ channelId: string; filter: string | null } | undefined> {
  const row = await db.subscription.findFirst({
    where: { id, deletedAt: null },
    select: { channelId: true, filter: true },
  });
  return row ?? undefined;
}

// The replay's own choice (`replayMessages`): a delivery under way is left alone, and with `onlyMissing` any that is there. A scalar
// question takes the index of both ids for each message; for a join PostgreSQL might go through all deliveries.
const IS_REPLAYED = `${IS_WANTED} AND NOT coalesce((SELECT $7::boolean OR d.due_at IS NOT NULL FROM deliveries d
      WHERE d.message_id = m.id AND d.subscription_id = s.id), false)`;

const LOOKED = `
  SELECT m.* FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND m.id < $3 ORDER BY m.id LIMIT $4`;

const COUNT = `
  WITH looked AS MATERIALIZED (SELECT id, event_type, erased_at, only_subscription_id FROM (${LOOKED}) AS m),
  wanted AS MATERIALIZED (
    SELECT m.id, m.event_type FROM looked m JOIN subscriptions s ON s.id = $5 WHERE ${IS_REPLAYED})
  SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT count(*)::int FROM wanted) AS matched,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'eventType', event_type) ORDER BY id), '[]')
      FROM (SELECT * FROM wanted ORDER BY id LIMIT $8) AS first) AS oldest`;

const READ = `
  SELECT m.id, m.event_type AS "eventType", m.metadata, CASE WHEN ${IS_REPLAYED} THEN m.payload END AS payload
  FROM (${LOOKED}) AS m JOIN subscriptions s ON s.id = $5 ORDER BY m.id`;

const valuesOf = (span: CountedSpan, limit: number): unknown[] => [
  span.channelId,
  span.from,
  span.before,
  limit,
  span.subscriptionId,
  span.eventTypes,
  span.onlyMissing,
];

/** Counts what a replay would make due now, among the oldest 100,000 messages of its time, and shows the oldest of them. */
export async function countReplayed(
  db: DatabaseTransaction,
  span: CountedSpan,
  shown: number,
): Promise<CountedMessages> {
  const [row] = await db.$queryRawUnsafe<{ looked: number; matched: number; oldest: Found[] }[]>(
    COUNT,
    ...valuesOf(span, MOST_COUNTED),
    shown,
  );
  const { looked, matched, oldest } = row ?? { looked: 0, matched: 0, oldest: [] };
  return { matched, isExact: looked < MOST_COUNTED, oldest: oldest.map(shownMessage) };
}

/** A message that a filter is asked about. `payload` is null for one that is left alone anyway. */
export type ToCount = Found & { metadata: Record<string, string> | null; payload: string | null };

/** The next messages of a count, oldest first. */
export const readToCount = (db: DatabaseTransaction, span: CountedSpan, limit: number): Promise<ToCount[]> =>
  db.$queryRawUnsafe<ToCount[]>(READ, ...valuesOf(span, limit));

/** A message as the answer to a dry run shows it. An id of a message has its time. */
export const shownMessage = ({ id, eventType }: Found): MessageReplayPreview['oldest'][number] => ({
  id,
  eventType,
  publishedAt: timeOfId('message', id) ?? new Date(0),
});
