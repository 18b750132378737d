import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { releaseDeliveries } from '../../record/statements/release.ts';
import { createPace } from './pace.ts';
import type { PendingReplies } from './pending-replies.ts';

const EVERY_MS = 5_000;
// The scan reads all rows that this process has held since the oldest open snapshot began, and may take half a percent of the time.
const REST = 200;
// Ids that are compared in one turn of the event loop.
const COMPARED_AT_ONCE = 1_000;

// One scan of the index, however many rows: pages by id would each read all of them.
const HELD_BY = `
  SELECT string_agg(id, ' ') AS ids FROM (
    SELECT id, (row_number() OVER () - 1) / ${COMPARED_AT_ONCE} AS part FROM deliveries WHERE holder = $1
  ) AS held GROUP BY part`;

/**
 * Releases orphaned claims: rows that PostgreSQL says this process holds but the process does not know about, because the reply to a
 * claim or a publish was lost or a release failed. This process keeps renewing its lease, so no other worker would free them. `known`
 * returns the ids still being worked on.
 *
 * A reply that is late is not lost: releasing its claims would have another worker send them as well. A claim is therefore released only
 * if two scans, five seconds apart, find it unknown, and every reply that was pending at the first one has come, or failed, by the second.
 * Call it as often as you like. Returns the number released.
 */
export function createForgottenClaims(
  pool: Pool,
  incarnationId: string,
  replies: Pick<PendingReplies, 'mark'>,
  known: () => ReadonlySet<string>,
): () => Promise<number> {
  const pace = createPace((tookMs) => Math.max(EVERY_MS, tookMs * REST));
  let suspects: ReadonlySet<string> = new Set();
  let isSettled = (): boolean => true;

  /** Claims that are unknown now, and a mark of this moment. */
  const scan = async (): Promise<{ unknown: string[]; isSettledSince: () => boolean }> => {
    const { rows } = await pace.look(() =>
      pool.query<{ ids: string }>({ name: 'held_by', text: HELD_BY, values: [incarnationId] }),
    );
    // After the statement, in one turn: each claim that it saw is known by now, or its reply is pending, or it is an orphan.
    const isSettledSince = replies.mark();
    const ids = known();
    const unknown: string[] = [];
    for (const part of rows) {
      unknown.push(...part.ids.split(' ').filter((id) => !ids.has(id)));
      await nextTurn();
    }
    return { unknown, isSettledSince };
  };

  return async () => {
    if (!pace.isDue()) return 0;
    const { unknown, isSettledSince } = await scan();
    const again = unknown.filter((id) => suspects.has(id));
    if (!isSettled() && again.length > 0) {
      // They stay suspects of the earlier scan until its replies have come.
      suspects = new Set(again);
      return 0;
    }
    suspects = new Set(unknown);
    isSettled = isSettledSince;
    return releaseDeliveries(pool, { ids: again, incarnationId });
  };
}
