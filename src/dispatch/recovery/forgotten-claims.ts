import type { Pool } from 'pg';
import { releaseDeliveries } from '../../deliveries/statements/release.ts';
import { createPace } from './pace.ts';

// A publish hands its deliveries over within milliseconds of its commit. A delivery that is unknown after this time was in a reply
// that never came.
const EVERY_MS = 5_000;
// The look reads all rows that this process has held since the oldest open snapshot began, and may take half a percent of the time.
const REST = 200;

/**
 * Gives back claims that PostgreSQL has for this process and the process does not know: the reply to a claim or a publish was lost,
 * or a claim could not be given back. The lease lives on, so nobody else would free them. `known` gives the ids that the process
 * still works on. May be called as often as you like: only claims that two looks, five seconds apart, find forgotten are given
 * back. Returns their number.
 */
export function createForgottenClaims(
  pool: Pool,
  incarnationId: string,
  known: () => ReadonlySet<string>,
): () => Promise<number> {
  const pace = createPace((tookMs) => Math.max(EVERY_MS, tookMs * REST));
  let unknown: ReadonlySet<string> = new Set();
  return async () => {
    if (!pace.isDue()) return 0;
    const { rows } = await pace.look(() =>
      pool.query<{ id: string }>({
        name: 'held_by',
        text: 'SELECT id FROM deliveries WHERE holder = $1',
        values: [incarnationId],
      }),
    );
    const ids = known();
    const forgotten = rows.map(({ id }) => id).filter((id) => !ids.has(id));
    const again = forgotten.filter((id) => unknown.has(id));
    unknown = new Set(forgotten);
    await releaseDeliveries(pool, { ids: again, incarnationId });
    return again.length;
  };
}
