import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { NamedKind } from '../../kernel/words/search-kinds.ts';

/** Maximum results per kind when searching by name. */
const MOST_NAMED = 20;

const TABLES: Readonly<Record<NamedKind, { table: string; extant: string }>> = {
  channel: { table: 'channels', extant: 'n.deleted_at IS NULL' },
  subscription: { table: 'subscriptions', extant: 'n.deleted_at IS NULL' },
  workflow: { table: 'workflows', extant: 'n.deleted_at IS NULL' },
  connection: { table: 'connections', extant: 'true' },
  webhook: { table: 'inbound_webhooks', extant: 'true' },
};

export type NamedResource = { kind: NamedKind; id: string; name: string; status: string; createdAt: Date };

/**
 * Returns resources of these kinds whose names contain the text, ignoring case; the newest of each kind, in the order
 * of the kinds.
 */
export async function findNamed(
  db: DatabaseTransaction,
  environmentId: string,
  { text, kinds }: { text: string; kinds: readonly NamedKind[] },
): Promise<NamedResource[]> {
  if (kinds.length === 0) return [];
  // Names have no index, so this reads those of one environment. It does not use LIKE, which would treat % and _ in the
  // text as wildcards.
  const parts = kinds.map(
    (
      kind,
    ) => `(SELECT '${kind}' AS kind, n.id, n.name, n.status, n.created_at AS "createdAt" FROM ${TABLES[kind].table} n
      WHERE n.environment_id = $1 AND ${TABLES[kind].extant} AND strpos(lower(n.name), lower($2)) > 0
      ORDER BY n.created_at DESC, n.id DESC LIMIT ${MOST_NAMED})`,
  );
  return db.$queryRawUnsafe<NamedResource[]>(parts.join(' UNION ALL '), environmentId, text);
}
