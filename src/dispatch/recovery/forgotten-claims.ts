import type { Pool } from 'pg';
import { releaseClaims } from '../../deliveries/statements/release.ts';
import { createPace } from './pace.ts';

// A publish hands over what it has given this process within milliseconds of its commit: what is still unknown then was in an
// answer that never came.
const EVERY_MS = 5_000;
// The look reads all that this process has held since the oldest open snapshot began: half a percent of the time is for that.
const REST = 200;

/**
 * Gives back what PostgreSQL says this process holds and the process knows nothing of: the answer to a claim or a publish was
 * lost when PostgreSQL went away, or a claim could not be given back then. Its lease lives on, so nobody else would free it.
 * `known` gives the ids of all it still has to do with. Call it as often as you like; only what two looks, five seconds apart,
 * find forgotten is given back. Returns how many.
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
    await releaseClaims(pool, { ids: again, incarnationId });
    return again.length;
  };
}
