import type { Pool } from 'pg';
import type { Listening } from '../../automations/definitions/plan/listens.ts';

/** A filter, and the subscriptions that have it. A filter that many of them share is kept once and evaluated once. */
export type ChannelFilter = {
  expression: string;
  subscriptions: { id: string; eventTypes: readonly string[] }[];
};

/** The trigger (JSON text) of a workflow's version that new runs take. */
type StoredTrigger = { workflowId: string; version: number; trigger: string };

/** Everything that publishing to a channel depends on beside its status. A publication is checked against one version of it. */
export type PublishingConfig = {
  version: number;
  mode: 'enforce' | 'warn';
  /** JSON text of the schema of every payload. */
  schema: string | undefined;
  /** JSON texts, by event type. */
  schemas: ReadonlyMap<string, string>;
  filters: readonly ChannelFilter[];
  /** Active workflows of the environment that begin with messages; new-runs.ts knows whether with this channel's. */
  workflows: readonly StoredTrigger[];
  /** Messages that steps of the environment's workflows may wait for; heard.ts knows whether this channel's. */
  listens: readonly Listening[];
};

type Row =
  | {
      version: number;
      mode: PublishingConfig['mode'];
      schema: string | null;
      schemas: Record<string, unknown> | null;
    }
  | { version: null; kind: 'filter'; id: string; eventTypes: string[]; filter: string }
  | { version: null; kind: 'workflow'; id: string; workflowVersion: number; trigger: string }
  | { version: null; kind: 'listens'; trigger: string };

// One statement: the version and what it stands for are of one moment. Rows instead of one JSON value: 10,000 filters may have
// 20 MB, which is then read as it comes instead of at once. $3 is the version that the caller knows, whose filters it has.
const LOAD = `
  WITH channel AS (
    SELECT id, config_version, schema_mode, schema, schemas FROM channels
    WHERE id = $1 AND environment_id = $2 AND deleted_at IS NULL
  )
  SELECT config_version AS version, schema_mode AS mode, schema::text AS schema, schemas, NULL AS kind,
    NULL AS id, NULL::text[] AS "eventTypes", NULL AS filter, NULL::int AS "workflowVersion", NULL AS trigger FROM channel
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, 'filter', s.id, s.event_types, s.filter, NULL, NULL
  FROM channel c JOIN subscriptions s ON s.channel_id = c.id AND s.deleted_at IS NULL AND s.filter IS NOT NULL
  WHERE c.config_version IS DISTINCT FROM $3::int
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, 'workflow', w.id, NULL, NULL, w.version, v.trigger
  FROM channel c JOIN workflows w ON w.environment_id = $2 AND w.status = 'active' AND w.trigger_type IN ('event', 'webhook') AND w.deleted_at IS NULL
    JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
  WHERE c.config_version IS DISTINCT FROM $3::int
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, 'listens', NULL, NULL, NULL, NULL, l.listens::text
  FROM channel c CROSS JOIN LATERAL (
    SELECT DISTINCT v.listens FROM workflow_versions v JOIN workflows w ON w.id = v.workflow_id AND w.deleted_at IS NULL
    WHERE v.environment_id = $2 AND v.listens IS NOT NULL
  ) l
  WHERE c.config_version IS DISTINCT FROM $3::int`;

/** Undefined for a channel that is missing, deleted or of another environment; `known` itself while its version holds. */
export async function loadPublishingConfig(
  pool: Pool,
  environmentId: string,
  channelId: string,
  known: PublishingConfig | undefined,
): Promise<PublishingConfig | undefined> {
  const { rows } = await pool.query<Row>({
    name: 'publishing-config',
    text: LOAD,
    values: [channelId, environmentId, known?.version ?? null],
  });
  const channel = rows.find((row) => row.version !== null);
  if (channel === undefined) return undefined;
  if (channel.version === known?.version) return known;
  return {
    version: channel.version,
    mode: channel.mode,
    schema: channel.schema ?? undefined,
    schemas: new Map(Object.entries(channel.schemas ?? {}).map(([type, schema]) => [type, JSON.stringify(schema)])),
    filters: filtersOf(rows),
    workflows: workflowsOf(rows),
    listens: listensOf(rows),
  };
}

function filtersOf(rows: readonly Row[]): ChannelFilter[] {
  const byExpression = new Map<string, ChannelFilter>();
  for (const row of rows) {
    if (row.version !== null || row.kind !== 'filter') continue;
    const { id, eventTypes, filter: expression } = row;
    const same = byExpression.get(expression);
    if (same === undefined) byExpression.set(expression, { expression, subscriptions: [{ id, eventTypes }] });
    else same.subscriptions.push({ id, eventTypes });
  }
  return [...byExpression.values()];
}

const workflowsOf = (rows: readonly Row[]): StoredTrigger[] =>
  rows.flatMap((row) => {
    if (row.version !== null || row.kind !== 'workflow') return [];
    const { id: workflowId, workflowVersion: version, trigger } = row;
    return [{ workflowId, version, trigger }];
  });

const listensOf = (rows: readonly Row[]): Listening[] =>
  // `as`: the column is only ever written from such a list.
  rows.flatMap((row) =>
    row.version === null && row.kind === 'listens' ? (JSON.parse(row.trigger) as Listening[]) : [],
  );
