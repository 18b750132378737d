import type { Pool } from 'pg';

/** Everything that publishing to a channel depends on beside its status. A publication is checked against one version of it. */
export type PublishingConfig = {
  version: number;
  mode: 'enforce' | 'warn';
  /** JSON text of the schema of every payload. */
  schema: string | undefined;
  /** JSON texts, by event type. */
  schemas: ReadonlyMap<string, string>;
};

type Row = {
  version: number;
  mode: PublishingConfig['mode'];
  schema: string | null;
  schemas: Record<string, unknown> | null;
};

/** Undefined for a channel that is missing, deleted or of another environment. */
export async function loadPublishingConfig(
  pool: Pool,
  environmentId: string,
  channelId: string,
): Promise<PublishingConfig | undefined> {
  const { rows } = await pool.query<Row>({
    name: 'publishing-config',
    text: `SELECT config_version AS version, schema_mode AS mode, schema::text AS schema, schemas FROM channels
           WHERE id = $1 AND environment_id = $2 AND deleted_at IS NULL`,
    values: [channelId, environmentId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    version: row.version,
    mode: row.mode,
    schema: row.schema ?? undefined,
    schemas: new Map(Object.entries(row.schemas ?? {}).map(([type, schema]) => [type, JSON.stringify(schema)])),
  };
}
