import type { Pool } from 'pg';
import type { ChannelWidth } from '../../messages/publication.ts';
import type { StoredTrigger, Listening } from './event-triggers.ts';

/** A filter and the subscriptions that have it. A filter shared by many is stored and evaluated once. */
export type ChannelFilter = {
  expression: string;
  subscriptions: { id: string; eventTypes: readonly string[] }[];
};

/** Everything that publishing to a channel depends on, except its status, as stored. */
export type StoredConfig = {
  version: number;
  mode: 'enforce' | 'warn';
  /** Schema for every payload, as JSON text. */
  schema: string | undefined;
  /** Schemas by event type, as JSON texts. */
  schemas: ReadonlyMap<string, string>;
  filters: readonly ChannelFilter[];
  /** Active workflows that messages of this channel may start, including those of all inbound webhooks. */
  workflows: readonly StoredTrigger[];
  /**
   * Messages that steps of the environment's workflows may wait for, of workflow versions that may wait for one of this
   * channel.
   */
  listens: readonly Listening[];
  width: ChannelWidth;
};

type Row =
  | {
      version: number;
      mode: StoredConfig['mode'];
      schema: string | null;
      schemas: Record<string, unknown> | null;
      unfiltered: number;
    }
  | { version: null; kind: 'filter'; id: string; eventTypes: string[]; filter: string }
  | { version: null; kind: 'workflow'; id: string; workflowVersion: number; trigger: string }
  | { version: null; kind: 'listens'; trigger: string };

// SQL on the trigger `v.trigger` (JSON text): whether it may apply to the channel $1. A trigger that names channels,
// but not this one, does not; that of a webhook names none. Quotes within strings are escaped, so only a member can
// match. An id may be written with escapes; and casting to json would let a single invalid text stop all publishers.
const MAY_BEGIN = String.raw`(position($1 IN v.trigger) > 0 OR position('\u' IN v.trigger) > 0 OR v.trigger !~ '"channelIds?"\s*:')`;

// SQL: whether `v.listens` includes messages of the channel $1 or of any channel.
const MAY_HEAR = `(v.listens @> jsonb_build_array(jsonb_build_object('channelIds', jsonb_build_array($1::text)))
      OR v.listens @? '$[*] ? (@.channelIds.size() == 0)')`;

/** SQL: the number of subscriptions of a channel without a filter. */
const unfilteredOf = (channelId: string): string =>
  `SELECT count(*)::int FROM subscriptions s WHERE s.channel_id = ${channelId} AND s.deleted_at IS NULL AND s.filter IS NULL`;

// A single statement, so that the version and everything it stands for are of the same moment. Rows instead of one JSON
// value: 10,000 filters may have 20 MB, which is then read as it arrives. $3 is the version that the caller has,
// filters included. An environment may have thousands of workflows for other channels. Reading their triggers blocked
// the event loop for a fifth of a second per channel, so PostgreSQL omits them.
const LOAD = `
  WITH channel AS (
    SELECT id, config_version, schema_mode, schema, schemas FROM channels
    WHERE id = $1 AND environment_id = $2 AND deleted_at IS NULL
  )
  SELECT config_version AS version, schema_mode AS mode, schema::text AS schema, schemas, NULL AS kind,
    NULL AS id, NULL::text[] AS "eventTypes", NULL AS filter, NULL::int AS "workflowVersion", NULL AS trigger,
    CASE WHEN config_version IS DISTINCT FROM $3::int THEN (${unfilteredOf('$1')}) ELSE 0 END AS unfiltered FROM channel
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, 'filter', s.id, s.event_types, s.filter, NULL, NULL, NULL
  FROM channel c JOIN subscriptions s ON s.channel_id = c.id AND s.deleted_at IS NULL AND s.filter IS NOT NULL
  WHERE c.config_version IS DISTINCT FROM $3::int
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, 'workflow', w.id, NULL, NULL, w.version, v.trigger, NULL
  FROM channel c JOIN workflows w ON w.environment_id = $2 AND w.status = 'active' AND w.trigger_type IN ('event', 'webhook') AND w.deleted_at IS NULL
    JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
  WHERE c.config_version IS DISTINCT FROM $3::int AND ${MAY_BEGIN}
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, 'listens', NULL, NULL, NULL, NULL, l.listens::text, NULL
  FROM channel c CROSS JOIN LATERAL (
    SELECT DISTINCT v.listens FROM workflow_versions v JOIN workflows w ON w.id = v.workflow_id AND w.deleted_at IS NULL
    WHERE v.environment_id = $2 AND v.listens IS NOT NULL AND ${MAY_HEAR}
  ) l
  WHERE c.config_version IS DISTINCT FROM $3::int`;

/**
 * Returns undefined for a channel that is missing, deleted, or in another environment; `same` while the known version
 * is current.
 */
export async function readPublishingConfig(
  pool: Pool,
  environmentId: string,
  channelId: string,
  knownVersion: number | undefined,
): Promise<StoredConfig | 'same' | undefined> {
  const { rows } = await pool.query<Row>({
    name: 'publishing-config',
    text: LOAD,
    values: [channelId, environmentId, knownVersion ?? null],
  });
  const channel = rows.find((row) => row.version !== null);
  if (channel === undefined) return undefined;
  if (channel.version === knownVersion) return 'same';
  return {
    version: channel.version,
    mode: channel.mode,
    schema: channel.schema ?? undefined,
    schemas: new Map(Object.entries(channel.schemas ?? {}).map(([type, schema]) => [type, JSON.stringify(schema)])),
    filters: filtersOf(rows),
    workflows: workflowsOf(rows),
    listens: listensOf(rows),
    width: { unfiltered: channel.unfiltered },
  };
}

/** Counts the subscriptions without a filter of each of these channels. */
export async function countUnfiltered(pool: Pool, channelIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ id: string; count: number }>(
    `SELECT c.id, (${unfilteredOf('c.id')}) AS count FROM unnest($1::text[]) AS c (id)`,
    [channelIds],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
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
  // `as`: the column is only written with such a list.
  rows.flatMap((row) =>
    row.version === null && row.kind === 'listens' ? (JSON.parse(row.trigger) as Listening[]) : [],
  );
