import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Scope, Tier } from '../../../kernel/words/rights.ts';

export { lockRole } from '../../../platform/db/sql/people.ts';

/** The columns of a credential that determine its rights. */
export type HolderRow = {
  id: string;
  tier: Tier;
  scopes: Scope[];
  status: string;
  /** The generation of callers with the newest key or secret (caller.ts). */
  generation: string;
  requestsPerMinute: number | null;
  burst: number | null;
  concurrent: number | null;
  batchPerMinute: number | null;
  expiresAt: Date | null;
};

/**
 * The tables that hold credentials, in the order in which every transaction locks them, so that two transactions cannot
 * deadlock.
 */
const TABLES = [
  { table: 'api_keys', prefix: 'key_', generation: `encode(c.hash, 'base64')` },
  {
    table: 'machine_credentials',
    prefix: 'oac_',
    generation: `c.epoch || '/' || (SELECT max(s.id) FROM machine_credential_secrets s WHERE s.machine_credential_id = c.id)`,
  },
] as const;

/**
 * Locks the credentials with these ids in one environment, whatever their kind, until the transaction ends. Returns
 * them by id.
 */
export async function lockHolders(
  db: DatabaseTransaction,
  environmentId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HolderRow>> {
  const found = new Map<string, HolderRow>();
  for (const { table, prefix, generation } of TABLES) {
    const own = ids.filter((id) => id.startsWith(prefix));
    if (own.length === 0) continue;
    // Lock first, then read: the row version that the lock returns does not include a secret that another transaction
    // added meanwhile.
    const locked = await db.$queryRawUnsafe<{ id: string }[]>(
      `SELECT id FROM ${table} WHERE id = ANY($1) AND environment_id = $2 ORDER BY id FOR NO KEY UPDATE`,
      own,
      environmentId,
    );
    const rows = await db.$queryRawUnsafe<HolderRow[]>(
      `SELECT id, tier, scopes, status, requests_per_minute AS "requestsPerMinute", burst, concurrent,
         batch_per_minute AS "batchPerMinute", expires_at AS "expiresAt", ${generation} AS generation
       FROM ${table} c WHERE id = ANY($1)`,
      locked.map(({ id }) => id),
    );
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}
