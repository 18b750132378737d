import type { DatabaseReader } from '../../platform/db/client.ts';
import { ExactJson } from '../../kernel/values/exact-json.ts';
import { type ListVersions, VERSIONS_AT_ONCE, type WorkflowVersion } from './schema.ts';

type Row = {
  version: number;
  triggerType: string | null;
  stepCount: number;
  madeBy: string | null;
  trigger: string | null;
  steps: string | null;
  createdAt: Date;
};

/**
 * The versions of a workflow, newest first, up to one more than is shown at once. One that is asked for by its number has its definition,
 * digit for digit.
 */
export async function findVersions(
  reader: Pick<DatabaseReader, '$queryRawUnsafe'>,
  { environmentId, workflowId, version, beforeVersion }: ListVersions & { environmentId: string; workflowId: string },
): Promise<WorkflowVersion[]> {
  const definition = version === undefined ? 'NULL AS trigger, NULL AS steps' : 'v.trigger, v.steps';
  const rows = await reader.$queryRawUnsafe<Row[]>(
    `SELECT v.version, v.trigger::json ->> 'type' AS "triggerType", coalesce(json_array_length(v.steps::json), 0) AS "stepCount",
       v.made_by AS "madeBy", ${definition}, v.created_at AS "createdAt"
     FROM workflow_versions v
     WHERE v.workflow_id = $1 AND v.environment_id = $2 AND ($3::int IS NULL OR v.version = $3::int)
       AND ($4::int IS NULL OR v.version < $4::int)
     ORDER BY v.version DESC LIMIT ${VERSIONS_AT_ONCE + 1}`,
    workflowId,
    environmentId,
    version ?? null,
    beforeVersion ?? null,
  );
  return rows.map(({ triggerType, madeBy, trigger, steps, ...row }) => ({
    ...row,
    ...(triggerType !== null && { triggerType }),
    ...(madeBy !== null && { madeBy }),
    ...(trigger !== null && { trigger: new ExactJson(trigger) }),
    ...(steps !== null && { steps: new ExactJson(steps) }),
  }));
}
