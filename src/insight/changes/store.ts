import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { along, createValues, queryAlong } from '../../platform/db/sql/walk.ts';

/** Rows of each walk of a look: what the first page of a list shows. */
export const NEWEST = 100;

/**
 * A row of a look. `source` is the walk that found it, `mark` differs once the row has changed. `isSystem`: a message on the channel of the
 * service's own events.
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
 * The newest rows of an environment that lists show: of each kind, and of each state that does not last. The last message of each channel
 * stands for those before it. Each part goes along an index and stops, so that a look costs as much as some pages of lists.
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
      // One of our own words as a literal: only then PostgreSQL sees which partial index has it.
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

/** The resource that changed by each of these entries, by its id. */
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
