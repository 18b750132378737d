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

/** Filter of messages over channels. `eventType` is a literal or a beginning; publishedAt is the time in the id. */
export type SummaryFilter = {
  environmentId: string;
  channelId?: string | undefined;
  /** With `true`, messages of the system channel are among those of all channels. A `channelId` may name that channel in any case. */
  includeSystem?: 'true' | 'false' | undefined;
  eventType?: string | undefined;
  publisherId?: string | undefined;
  /** Any of these. */
  deliveryStatus?: readonly DeliverySummary[] | undefined;
  ids?: IdRange;
};

/** `lookedTo`: messages were looked at down to this id, and the page ends there although it is not full. */
type FoundSummaries = { messages: MessageSummary[]; lookedTo?: string };

// Messages whose deliveries are looked at for a page, 5,000 in some 50 ms. Most pages fill among the first 200.
const LOOKS = [200, 5_000];

/**
 * Messages of an environment, newest first, one more than asked for. An index leads to the newest of each channel, deleted ones included,
 * so a page reads no more than that page and one entry of each channel. No index has the state of all deliveries of a message together, so
 * messages are looked at one by one for it, and 5,000 at most.
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
    // `summary` of store.ts in SQL; a test compares them.
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

/** Ids of messages, of any state, one more than asked for. */
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

/** SQL: the channels whose messages are meant. */
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

/** Messages by their ids, newest first. */
export async function readSummaries(db: DatabaseTransaction, ids: readonly string[]): Promise<MessageSummary[]> {
  // The size stands beside a payload that is stored by itself, so none is read.
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

/** A message that was read: its payload is absent where the text that is looked for cannot stand in it, and once it is erased. */
type ReadMessage = { id: string; bytes: number; payload: string | null };

// Rows of one look, and bytes of their payloads, which PostgreSQL unpacks: 20 ms of a processor. One message is read at least.
export const LOOK = { messages: 200, bytes: 1_048_576 } as const;

// PostgreSQL ends a statement of a look after this time. A look takes about 20 ms, so only a lock or a disk that falls behind comes near.
const STATEMENT_MS = 5_000;

/**
 * The next messages behind `after`, newest first, with the payloads that may hold `needle`: as it is, or with an escape of JSON. `isLast`:
 * no more of them are there.
 */
export async function readPayloads(
  db: DatabaseTransaction,
  filter: SummaryFilter,
  { after, needle }: { after: string | undefined; needle: string },
): Promise<{ rows: ReadMessage[]; isLast: boolean }> {
  await db.$executeRaw`SELECT set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
  const ids = await findMessageIds(db, filter, { after, limit: LOOK.messages - 1 });
  if (ids.length === 0) return { rows: [], isLast: true };
  // The size stands beside a payload that is stored by itself: only payloads within the bytes are unpacked.
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
  // Messages that retention has removed in between count as read: the place goes on behind the last id that was asked for.
  return { rows, isLast: ids.length < LOOK.messages && (rows.at(-1)?.id ?? '') <= (ids.at(-1) ?? '') };
}
