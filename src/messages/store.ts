import type { Database } from '../db/client.ts';
import type { Message as MessageRow } from '../db/generated/client.ts';
import { ExactJson } from '../shared/exact-json.ts';
import { lowestIdAt } from '../shared/ids.ts';
import type { PageRequest } from '../shared/page.ts';
import type { DeliverySummary } from '../shared/statuses.ts';
import type { Message } from './schema.ts';

/** Whether the channel was ever there: the messages of a deleted one stay readable until their retention ends. */
export async function channelExists(db: Database, environmentId: string, channelId: string): Promise<boolean> {
  return (await db.channel.count({ where: { id: channelId, environmentId } })) > 0;
}

/** The subscription's channel, for its test message. */
export async function subscriptionTarget(
  db: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<{ channelId: string; status: string } | undefined> {
  const row = await db.subscription.findFirst({
    where: { id: subscriptionId, environmentId, deletedAt: null },
    select: { channelId: true, status: true },
  });
  return row ?? undefined;
}

/** Messages of a channel, newest first, one more than asked for. publishedAt is in the id, so a time range is an id range. */
export async function listMessages(
  db: Database,
  scope: { environmentId: string; channelId: string; since: Date | undefined; until: Date | undefined },
  page: PageRequest,
): Promise<Message[]> {
  const upper = [page.after, scope.until && lowestIdAt('message', scope.until)].filter((id) => id !== undefined).sort();
  const rows = await db.message.findMany({
    where: {
      environmentId: scope.environmentId,
      channelId: scope.channelId,
      id: {
        ...(upper[0] !== undefined && { lt: upper[0] }),
        // After `since` begins with the next millisecond.
        ...(scope.since && { gte: lowestIdAt('message', new Date(scope.since.getTime() + 1)) }),
      },
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return withDeliveryStatus(db, rows);
}

export async function findMessage(db: Database, environmentId: string, id: string): Promise<Message | undefined> {
  const row = await db.message.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : (await withDeliveryStatus(db, [row]))[0];
}

type Tally = { message_id: string; unfinished: boolean; failed: boolean };

async function withDeliveryStatus(db: Database, rows: MessageRow[]): Promise<Message[]> {
  if (rows.length === 0) return [];
  const tallies = await db.$queryRaw<Tally[]>`
    SELECT message_id, bool_or(due_at IS NOT NULL) AS unfinished, bool_or(status = 'failed') AS failed
    FROM deliveries WHERE message_id = ANY(${rows.map((row) => row.id)}) GROUP BY message_id`;
  const tallyOf = new Map(tallies.map((tally) => [tally.message_id, tally]));
  return rows.map((row) => toMessage(row, summary(tallyOf.get(row.id))));
}

/** `summariseDeliveries` of src/shared/statuses.ts over the two sums that PostgreSQL makes. */
function summary(tally: Tally | undefined): DeliverySummary {
  if (tally === undefined) return 'unrouted';
  if (tally.unfinished) return 'pending';
  return tally.failed ? 'failed' : 'delivered';
}

/** What a message shows of itself, published or not. */
export const contentOf = (
  row: Pick<MessageRow, 'id' | 'channelId' | 'eventType' | 'payload' | 'metadata'>,
): Pick<Message, 'id' | 'channelId' | 'eventType' | 'payload' | 'metadata'> => ({
  id: row.id,
  channelId: row.channelId,
  eventType: row.eventType,
  payload: row.payload === null ? null : new ExactJson(row.payload),
  // Only ever written from a validated Record<string, string>.
  ...(row.metadata !== null && { metadata: row.metadata as Record<string, string> }),
});

function toMessage(row: MessageRow, deliveryStatus: DeliverySummary): Message {
  return {
    ...contentOf(row),
    publishedAt: row.publishedAt,
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
    deliveryStatus,
  };
}
