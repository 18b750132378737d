import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import { findByName } from '../../platform/db/sql/name-look.ts';
import { ExactJson } from '../../kernel/values/exact-json.ts';
import { isId } from '../../kernel/values/ids.ts';
import type { NamedRows, PageRequest } from '../../kernel/values/page.ts';
import type { WorkflowStatus } from '../../kernel/words/statuses.ts';
import type { Listening } from '../../messaging/publishing/configs/event-triggers.ts';
import { type Workflow, type ListVersions, VERSIONS_AT_ONCE, type WorkflowVersion } from './schema.ts';

/** A definition as stored: JSON texts, digit for digit. */
export type DefinitionTexts = { trigger?: string; steps?: string };

/** A workflow with internal fields that are not returned. */
export type StoredWorkflow = { workflow: Workflow; version: number; texts: DefinitionTexts };

/** A version to store: who created it, and the messages that its steps may wait for; undefined for none. */
export type NewVersion = { texts: DefinitionTexts; listens: Listening[] | undefined; madeBy: string };

type Reader = Pick<DatabaseReader, '$queryRawUnsafe'>;

type Row = {
  id: string;
  name: string;
  description: string | null;
  status: string;
  version: number;
  /** Only set if the definition is not read. */
  triggerType?: string | null;
  trigger: string | null;
  steps: string | null;
  createdAt: Date;
  updatedAt: Date;
};

const select = (definition: string): string => `
  SELECT w.id, w.name, w.description, w.status, w.version, ${definition},
    w.created_at AS "createdAt", w.updated_at AS "updatedAt"
  FROM workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version`;
const SELECT = select('v.trigger, v.steps');
// Does not read definitions, which PostgreSQL may store outside the row.
const SELECT_WITHOUT = select('NULL::text AS trigger, NULL::text AS steps, w.trigger_type AS "triggerType"');

export async function insertWorkflow(
  transaction: DatabaseTransaction,
  {
    id,
    environmentId,
    name,
    description,
    status,
    triggerType,
    texts,
    listens,
    madeBy,
    now,
  }: NewVersion & {
    id: string;
    environmentId: string;
    name: string;
    description: string | undefined;
    status: WorkflowStatus;
    triggerType: string | undefined;
    now: Date;
  },
): Promise<Workflow> {
  await transaction.workflow.create({
    data: {
      id,
      environmentId,
      name,
      description: description ?? null,
      status,
      triggerType: triggerType ?? null,
      createdAt: now,
      updatedAt: now,
      versions: { create: { version: 1, ...versionColumns({ texts, listens, madeBy }), createdAt: now } },
    },
  });
  return toWorkflow({
    id,
    name,
    description: description ?? null,
    status,
    version: 1,
    trigger: texts.trigger ?? null,
    steps: texts.steps ?? null,
    createdAt: now,
    updatedAt: now,
  }).workflow;
}

export async function findWorkflow(
  reader: Reader,
  environmentId: string,
  id: string,
): Promise<StoredWorkflow | undefined> {
  const [row] = await reader.$queryRawUnsafe<Row[]>(
    `${SELECT} WHERE w.id = $1 AND w.environment_id = $2 AND w.deleted_at IS NULL`,
    id,
    environmentId,
  );
  return row && toWorkflow(row);
}

/** Reads a workflow and locks it against changes until the transaction ends. */
export async function lockWorkflow(
  transaction: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<StoredWorkflow | undefined> {
  // Not FOR UPDATE: a publish may hold a channel that this transaction waits for next, and start runs of this workflow,
  // whose foreign key would wait for this lock.
  await transaction.$queryRaw`
    SELECT id FROM workflows WHERE id = ${id} AND environment_id = ${environmentId} FOR NO KEY UPDATE`;
  return findWorkflow(transaction, environmentId, id);
}

type WorkflowFilter = { status?: WorkflowStatus; ids?: readonly string[]; connectionId?: string };

/** Returns the page's workflows, newest first, plus one more if there is one. */
export async function findWorkflows(
  reader: Reader,
  environmentId: string,
  { limit, after }: PageRequest,
  { status, ids, hasDefinitions }: WorkflowFilter & { hasDefinitions: boolean },
): Promise<StoredWorkflow[]> {
  const rows = await reader.$queryRawUnsafe<Row[]>(
    `${hasDefinitions ? SELECT : SELECT_WITHOUT} WHERE w.environment_id = $1 AND w.deleted_at IS NULL
       AND ($2::text IS NULL OR w.status = $2) AND ($3::text IS NULL OR w.id < $3)
       ${ids === undefined ? '' : 'AND w.id = ANY ($4::text[])'}
     ORDER BY w.id DESC LIMIT ${limit + 1}`,
    environmentId,
    status ?? null,
    after ?? null,
    ...(ids === undefined ? [] : [ids]),
  );
  return rows.map(toWorkflow);
}

/**
 * Returns the ids of the page's workflows whose names contain the text and, if given, whose current steps use the
 * connection.
 */
export async function findWorkflowsNamed(
  transaction: DatabaseTransaction,
  environmentId: string,
  page: PageRequest,
  { status, ids, connectionId, part }: WorkflowFilter & { part: string },
): Promise<NamedRows> {
  if (connectionId !== undefined && !isId('connection', connectionId)) return { positions: [], lookedTo: undefined };
  const within = connectionId === undefined ? undefined : { sql: STEPS_OF, text: JSON.stringify(connectionId) };
  return findByName(transaction, { list: 'workflows', environmentId, part, ids, columns: { status }, within }, page);
}

const STEPS_OF = '(SELECT v.steps FROM workflow_versions v WHERE v.workflow_id = n.id AND v.version = n.version)';

/** Returns the current versions of these workflows with their numbers of steps. Reads all steps. */
export const countSteps = (
  reader: Reader,
  ids: readonly string[],
): Promise<{ id: string; version: number; count: number }[]> =>
  reader.$queryRawUnsafe(
    `SELECT w.id, w.version, coalesce(json_array_length(v.steps::json), 0) AS count
     FROM workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
     WHERE w.id = ANY ($1::text[])`,
    ids,
  );

/** Changes columns, and creates a version if `definition` is given. */
export async function updateWorkflow(
  transaction: DatabaseTransaction,
  environmentId: string,
  { workflow, version }: StoredWorkflow,
  change: {
    name?: string;
    description?: string | null;
    status?: WorkflowStatus;
    definition?: NewVersion & { triggerType: string | undefined };
    now: Date;
  },
): Promise<void> {
  const { definition, now, ...columns } = change;
  if (definition !== undefined) {
    await transaction.workflowVersion.create({
      data: {
        workflowId: workflow.id,
        environmentId,
        version: version + 1,
        ...versionColumns(definition),
        createdAt: now,
      },
    });
  }
  await transaction.workflow.updateMany({
    where: { id: workflow.id, environmentId },
    data: {
      ...columns,
      ...(definition !== undefined && { version: version + 1, triggerType: definition.triggerType ?? null }),
      updatedAt: now,
    },
  });
}

function versionColumns({ texts, listens, madeBy }: NewVersion) {
  const { trigger = null, steps = null } = texts;
  return { trigger, steps, madeBy, ...(listens !== undefined && { listens }) };
}

export async function markWorkflowDeleted(
  transaction: DatabaseTransaction,
  environmentId: string,
  id: string,
  now: Date,
): Promise<void> {
  await transaction.workflow.updateMany({ where: { id, environmentId }, data: { deletedAt: now, updatedAt: now } });
}

/**
 * Returns the triggers (JSON texts) of an environment's active workflows except one. Concurrent activations wait until
 * the transaction ends, so that two of them cannot both take the last place.
 */
export async function lockActiveTriggers(
  transaction: DatabaseTransaction,
  environmentId: string,
  exceptId: string,
): Promise<string[]> {
  await transaction.$queryRaw`SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(${`workflows ${environmentId}`}, 0))) AS taken`;
  const rows = await transaction.$queryRaw<{ trigger: string }[]>`
    SELECT v.trigger FROM workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
    WHERE w.environment_id = ${environmentId} AND w.status = 'active' AND w.deleted_at IS NULL AND w.id <> ${exceptId}`;
  return rows.map(({ trigger }) => trigger);
}

/** Returns those ids that are channels of the environment. */
export async function findChannelIds(
  reader: Pick<DatabaseReader, 'channel'>,
  environmentId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await reader.channel.findMany({
    where: { id: { in: [...ids] }, environmentId, deletedAt: null },
    select: { id: true },
  });
  return new Set(rows.map(({ id }) => id));
}

/** Reads one version of a workflow, even of a deleted one, because its runs continue. */
export async function findVersion(
  reader: Reader,
  workflowId: string,
  version: number,
): Promise<{ name: string; trigger: string; steps: string } | undefined> {
  const [row] = await reader.$queryRawUnsafe<{ name: string; trigger: string; steps: string }[]>(
    `SELECT w.name, coalesce(v.trigger, 'null') AS trigger, coalesce(v.steps, '[]') AS steps
     FROM workflow_versions v JOIN workflows w ON w.id = v.workflow_id
     WHERE v.workflow_id = $1 AND v.version = $2`,
    workflowId,
    version,
  );
  return row;
}

function toWorkflow({ version, triggerType = null, trigger, steps, description, status, ...row }: Row): StoredWorkflow {
  return {
    workflow: {
      ...row,
      ...(description !== null && { description }),
      // `as`: only validated statuses are stored.
      status: status as WorkflowStatus,
      ...(triggerType !== null && { triggerType }),
      ...(trigger !== null && { trigger: new ExactJson(trigger) }),
      ...(steps !== null && { steps: new ExactJson(steps) }),
    },
    version,
    texts: { ...(trigger !== null && { trigger }), ...(steps !== null && { steps }) },
  };
}

type VersionRow = {
  version: number;
  triggerType: string | null;
  stepCount: number;
  madeBy: string | null;
  trigger: string | null;
  steps: string | null;
  createdAt: Date;
};

/**
 * Returns the versions of a workflow, newest first, up to one more than a response has. A single requested version
 * includes its definition, digit for digit.
 */
export async function findVersions(
  reader: Pick<DatabaseReader, '$queryRawUnsafe'>,
  { environmentId, workflowId, version, beforeVersion }: ListVersions & { environmentId: string; workflowId: string },
): Promise<WorkflowVersion[]> {
  const definition = version === undefined ? 'NULL AS trigger, NULL AS steps' : 'v.trigger, v.steps';
  const rows = await reader.$queryRawUnsafe<VersionRow[]>(
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
