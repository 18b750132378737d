import type { DatabaseReader } from '../../platform/db/client.ts';
import { mayUseConnection } from '../../platform/db/sql/fragments.ts';

type Reader = Pick<DatabaseReader, '$queryRawUnsafe'>;

/** Returns those names for which the environment has a secret. */
export async function findSecretNames(
  reader: Reader,
  environmentId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reader.$queryRawUnsafe<{ name: string }[]>(
    'SELECT name FROM secrets WHERE environment_id = $1 AND name = ANY($2)',
    environmentId,
    names,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Returns the connectors of the connections that the environment can use, by connection id. */
export async function findConnectors(
  reader: Reader,
  environmentId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.$queryRawUnsafe<{ id: string; connector: string }[]>(
    `SELECT id, connector FROM connections c WHERE ${mayUseConnection('$1')} AND id = ANY($2)`,
    environmentId,
    ids,
  );
  return new Map(rows.map(({ id, connector }) => [id, connector]));
}

/** Returns those ids for which the environment has an inbound webhook. */
export async function findWebhookIds(
  reader: Reader,
  environmentId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reader.$queryRawUnsafe<{ id: string }[]>(
    'SELECT id FROM inbound_webhooks WHERE environment_id = $1 AND id = ANY($2)',
    environmentId,
    ids,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns, for those workflows that exist, the ids of the workflows that their current steps start. PostgreSQL extracts
 * them, because parsing 100 definitions of 256 KiB here would block the process.
 */
export async function findCalls(
  reader: Reader,
  environmentId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await reader.$queryRawUnsafe<{ id: string; calls: string[] }[]>(
    `SELECT w.id, ARRAY(
       SELECT s #>> '{config,workflowId}' FROM json_array_elements(v.steps::json) s WHERE s ->> 'type' = 'workflow'
     ) AS calls FROM workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
     WHERE w.environment_id = $1 AND w.id = ANY($2) AND w.deleted_at IS NULL`,
    environmentId,
    ids,
  );
  return new Map(rows.map(({ id, calls }) => [id, calls]));
}
