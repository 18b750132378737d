import type { DatabaseTransaction } from '../../platform/db/client.ts';
import {
  alongAll,
  alongEventTypes,
  createValues,
  eventTypeIs,
  findAlong,
  idBounds,
  isNarrowing,
  readFound,
  type Values,
} from '../../platform/db/sql/walk.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { DeliverySummary } from '../../kernel/words/statuses.ts';
import type { MessageSummary } from './schema.ts';
import { summary, type Tally } from './store.ts';

/** Filter of messages of all channels. `eventType` is an exact type or a pattern; publishedAt is the time in the id. */
export type SummaryFilter = {
  environmentId: string;
  channelId?: string | undefined;
  /** With `true`, messages of the system channel are included. `channelId` can always name that channel. */
  includeSystem?: 'true' | 'false' | undefined;
  eventType?: string | undefined;
  publisherId?: string | undefined;
  /** Any of these. */
  deliveryStatus?: readonly DeliverySummary[] | undefined;
  ids?: IdRange;
};

/** `lookedTo`: messages were examined down to this id, and the page ends there although it is not full. */
type FoundSummaries = { messages: MessageSummary[]; lookedTo?: string };

// Messages whose deliveries are examined for a page; 5,000 take about 50 ms. Most pages are filled from the first 200.
const LOOKS = [200, 5_000];

/**
 * Returns messages of an environment, newest first, one more than the page holds. Merges index scans of all channels,
 * including deleted ones, so that it reads no more than the page and one entry per channel. There is no index by the
 * combined status of a message's deliveries, so for that filter messages are examined one by one, up to 5,000.
 */
export async function findSummaries(
  db: DatabaseTransaction,
  filter: SummaryFilter,
  page: PageRequest,
): Promise<FoundSummaries> {
  let lookedTo: string | undefined;
  const messages = await readFound(
    async () => {
      if (filter.deliveryStatus === undefined) return findMessageIds(db, filter, page);
      const found = await lookForStatus(db, filter, page, filter.deliveryStatus);
      ({ lookedTo } = found);
      return found.ids;
    },
    (ids) => readSummaries(db, ids),
  );
  return { messages, ...(lookedTo !== undefined && { lookedTo }) };
}

async function lookForStatus(
  db: DatabaseTransaction,
  filter: SummaryFilter,
  page: PageRequest,
  statuses: readonly DeliverySummary[],
): Promise<{ ids: string[]; lookedTo?: string }> {
  let found: { ids: string[]; lookedTo?: string } = { ids: [] };
  for (const most of LOOKS) {
    const looked = await findMessageIds(db, filter, { ...page, limit: most - 1 });
    // The same as `summary` in store.ts, in SQL; a test compares them.
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT m.id FROM unnest(${looked}::text[]) m (id) CROSS JOIN LATERAL (
        SELECT bool_or(d.due_at IS NOT NULL) AS unfinished, bool_or(d.status = 'failed') AS failed
        FROM deliveries d WHERE d.message_id = m.id
      ) t
      WHERE CASE WHEN t.unfinished IS NULL THEN 'unrouted' WHEN t.unfinished THEN 'pending' WHEN t.failed THEN 'failed'
        ELSE 'delivered' END = ANY(${statuses}::text[])
      ORDER BY m.id DESC LIMIT ${page.limit + 1}`;
    const ids = rows.map(({ id }) => id);
    const last = looked.at(-1);
    if (ids.length > page.limit || looked.length < most || last === undefined) return { ids };
    found = { ids, lookedTo: last };
  }
  return found;
}

/** Returns the ids of messages of any status, one more than the page holds. */
async function findMessageIds(db: DatabaseTransaction, filter: SummaryFilter, page: PageRequest): Promise<string[]> {
  const values = createValues();
  const bounds = idBounds(values, filter.ids ?? {}, page.after);
  const owners = channelsOf(filter, values);
  const walk = { table: 'messages', bounds, limit: page.limit + 1 };
  const { publisherId, eventType } = filter;
  if (publisherId !== undefined) {
    const wanted = [
      `p.publisher_id = ${values.add(publisherId)}`,
      `d.id >= ${bounds.from}`,
      `d.id < ${bounds.before}`,
      ...eventTypeIs(eventType, values),
    ];
    const text = `SELECT d.id FROM (${owners}) o
      JOIN publisher_ids p ON p.environment_id = ${values.add(filter.environmentId)} AND p.channel_id = o.id
      JOIN messages d ON d.id = p.message_id
      WHERE ${wanted.join(' AND ')} ORDER BY d.id DESC LIMIT ${walk.limit}`;
    return (await db.$queryRawUnsafe<{ id: string }[]>(text, ...values.values)).map(({ id }) => id);
  }
  const text = isNarrowing(eventType)
    ? alongEventTypes(values, { ...walk, owners, of: 'channel_id', pattern: eventType })
    : `WITH owners AS (${owners}), ${alongAll('owners', { ...walk, columns: ['channel_id'], at: ['w.id'] })}`;
  return findAlong(db, text, values);
}

/** SQL for the channels that the filter covers. */
function channelsOf({ environmentId, channelId, includeSystem }: SummaryFilter, { add }: Values): string {
  const own = `SELECT c.id FROM channels c WHERE c.environment_id = ${add(environmentId)}`;
  if (channelId !== undefined) return `${own} AND c.id = ${add(channelId)}`;
  return includeSystem === 'true' ? own : `${own} AND c.kind <> 'system'`;
}

type Row = Tally & {
  id: string;
  channelId: string;
  eventType: string;
  publishedAt: Date;
  erasedAt: Date | null;
  payloadBytes: number | null;
  total: number;
  delivered: number;
  failures: number;
};

/** Returns messages by id, newest first. */
export async function readSummaries(db: DatabaseTransaction, ids: readonly string[]): Promise<MessageSummary[]> {
  // The size of a payload that is stored out of line is known without reading it.
  const rows = await db.$queryRaw<Row[]>`
    SELECT m.id, m.channel_id AS "channelId", m.event_type AS "eventType", m.published_at AS "publishedAt", m.erased_at AS "erasedAt",
      octet_length(m.payload) AS "payloadBytes", t.*
    FROM messages m CROSS JOIN LATERAL (
      SELECT count(*)::int AS total, count(*) FILTER (WHERE d.status = 'delivered')::int AS delivered,
        count(*) FILTER (WHERE d.status = 'failed')::int AS failures,
        bool_or(d.due_at IS NOT NULL) AS unfinished, bool_or(d.status = 'failed') AS failed
      FROM deliveries d WHERE d.message_id = m.id
    ) t
    WHERE m.id = ANY(${ids}) ORDER BY m.id DESC`;
  return rows.map(toSummary);
}

const toSummary = ({
  erasedAt,
  payloadBytes,
  total,
  delivered,
  failures,
  unfinished,
  failed,
  ...message
}: Row): MessageSummary => ({
  ...message,
  ...(erasedAt !== null && { erasedAt }),
  ...(payloadBytes !== null && { payloadBytes }),
  deliveryStatus: summary({ unfinished, failed }),
  deliveries: { total, delivered, failed: failures },
});

/** A message that was read. Its payload is null if it cannot contain the searched text or has been erased. */
type ReadMessage = { id: string; bytes: number; payload: string | null };

// Rows per query, and bytes of their payloads, which PostgreSQL decompresses: 20 ms of CPU. At least one message is
// read.
export const LOOK = { messages: 200, bytes: 1_048_576 } as const;

// PostgreSQL cancels the statement of a query after this time. It normally takes about 20 ms, so only a lock or a slow
// disk comes near.
const STATEMENT_MS = 5_000;

/**
 * Returns the next messages after `after`, newest first, with the payloads that may contain `needle`: literally, or
 * because they contain an escape sequence. `isLast`: there are no further messages.
 */
export async function readPayloads(
  db: DatabaseTransaction,
  filter: SummaryFilter,
  { after, needle }: { after: string | undefined; needle: string },
): Promise<{ rows: ReadMessage[]; isLast: boolean }> {
  await db.$executeRaw`SELECT set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
  const ids = await findMessageIds(db, filter, { after, limit: LOOK.messages - 1 });
  if (ids.length === 0) return { rows: [], isLast: true };
  // The size of a payload that is stored out of line is known without reading it, so only payloads within the byte
  // limit are decompressed.
  const rows = await db.$queryRaw<ReadMessage[]>`
    WITH sized AS (
      SELECT m.id, coalesce(octet_length(m.payload), 0) AS bytes,
        sum(coalesce(octet_length(m.payload), 0)) OVER (ORDER BY m.id DESC) AS so_far
      FROM messages m WHERE m.id = ANY(${ids})
    )
    SELECT s.id, s.bytes, CASE WHEN strpos(m.payload, ${needle}) > 0 OR strpos(m.payload, ${'\\'}) > 0 THEN m.payload END AS payload
    FROM sized s JOIN messages m ON m.id = s.id
    WHERE s.so_far - s.bytes < ${LOOK.bytes}
    ORDER BY s.id DESC`;
  // Messages that retention has removed meanwhile count as read: the search continues after the last requested id.
  return { rows, isLast: ids.length < LOOK.messages && (rows.at(-1)?.id ?? '') <= (ids.at(-1) ?? '') };
}
