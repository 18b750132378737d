import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { along, createValues, queryAlong } from '../../platform/db/sql/walk.ts';

/** Rows per index scan of a poll, as many as the first page of a list. */
export const NEWEST = 100;

/**
 * A row of a poll. `source` is the index scan that found it; `mark` changes whenever the row does. `isSystem`: a
 * message on the channel of service events.
 */
export type SeenRow = {
  source: 'message' | 'delivery' | 'deadLetter' | 'run' | 'audit';
  id: string;
  status: string | null;
  mark: string;
  isSystem: boolean;
};

const UNDELIVERED = ['pending', 'retrying', 'failed'] as const;
const UNDER_WAY = ['pending', 'running', 'waiting', 'paused'] as const;

const DELIVERY = `d.status, concat_ws(' ', d.status, d.attempts, d.round, d.held_reason, d.due_at) AS mark`;
const DEAD_LETTER = 'd.status, d.status AS mark';
const RUN = `d.status, concat_ws(' ', d.status, d.round, d.executions) AS mark`;
const AUDIT = `d.action AS status, '' AS mark`;

/**
 * Returns the newest rows of an environment that lists show: of each kind, and of each state that is not final. The
 * last message of each channel represents the earlier ones. Each part is a bounded index scan, so that a poll costs
 * about as much as a few pages of lists.
 */
export async function look(db: DatabaseTransaction, environmentId: string): Promise<SeenRow[]> {
  const values = createValues();
  const at = values.add(environmentId);
  const bounds = { from: values.add(''), before: values.add('~') };
  const walk = (
    source: SeenRow['source'],
    table: string,
    { status, where, beside }: { status?: string; where?: string; beside: string },
  ): string => {
    const text = along({
      table,
      columns: status === undefined ? ['environment_id'] : ['environment_id', 'status'],
      // A constant from our own code, as a literal, because only then can PostgreSQL choose the partial index.
      at: status === undefined ? [at] : [at, `'${status}'`],
      bounds,
      ...(where !== undefined && { where: [where] }),
      limit: NEWEST,
      beside,
    });
    return `(SELECT '${source}' AS source, x.id, x.status, x.mark, false AS "isSystem" FROM (${text}) x)`;
  };
  const last = along({ table: 'messages', columns: ['channel_id'], at: ['c.id'], bounds, limit: 1 });
  const parts = [
    `(SELECT 'message' AS source, x.id, NULL::text AS status, c.id AS mark, c.kind = 'system' AS "isSystem"
      FROM channels c CROSS JOIN LATERAL (${last}) x WHERE c.environment_id = ${at})`,
    walk('delivery', 'deliveries', { beside: DELIVERY }),
    ...UNDELIVERED.map((status) =>
      walk('delivery', 'deliveries', { status, where: `d.status <> 'delivered'`, beside: DELIVERY }),
    ),
    walk('deadLetter', 'dead_letters', { beside: DEAD_LETTER }),
    walk('deadLetter', 'dead_letters', { status: 'open', beside: DEAD_LETTER }),
    walk('run', 'runs', { beside: RUN }),
    ...UNDER_WAY.map((status) => walk('run', 'runs', { status, beside: RUN })),
    walk('audit', 'audit_entries', { beside: AUDIT }),
  ];
  return queryAlong<SeenRow>(db, parts.join(' UNION ALL '), values);
}

/** Returns the ids of the resources changed by these audit entries. */
export async function findTargets(
  db: DatabaseTransaction,
  environmentId: string,
  ids: readonly string[],
): Promise<{ action: string; targetId: string }[]> {
  return db.auditEntry.findMany({
    where: { environmentId, id: { in: [...ids] } },
    select: { action: true, targetId: true },
  });
}
