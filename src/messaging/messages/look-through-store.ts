import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { findMessageIds, type SummaryFilter } from './summaries-store.ts';

/** A message that was read: its payload is absent where the text that is looked for cannot stand in it, and once it is erased. */
export type ReadMessage = { id: string; bytes: number; payload: string | null };

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
