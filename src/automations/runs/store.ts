import type { PoolClient } from 'pg';
import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { Prisma, Run as RunRow, RunStep as StepRow } from '../../platform/db/generated/client.ts';
import { cancelRuns } from '../../platform/db/sql/ended-runs.ts';
import { alongAll, createValues, findAlong, idBounds, readFound } from '../../platform/db/sql/walk.ts';
import type { RunTrigger } from '../../kernel/contract/run-outline.ts';
import { ExactJson } from '../../kernel/values/exact-json.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { RunStatus, RunStepStatus } from '../../kernel/words/statuses.ts';
import type { RecordedStep } from './kept-steps.ts';
import type { Run, RunStep, RunSummary } from './schema.ts';

export type RunFilter = {
  environmentId: string;
  workflowId?: string | undefined;
  messageId?: string | undefined;
  /** Any of these. */
  status?: readonly RunStatus[] | undefined;
  ids: IdRange;
};

/** Returns runs, newest first, plus one more if there is one. */
export async function findRuns(
  transaction: DatabaseTransaction,
  filter: RunFilter,
  { hasOutputs, ...page }: PageRequest & { hasOutputs: boolean },
): Promise<RunSummary[]> {
  const read = async (where: Prisma.RunWhereInput): Promise<RunSummary[]> => {
    // A list needs no inputs, which PostgreSQL may store outside the row.
    const omit = { input: true, output: !hasOutputs };
    const rows = await transaction.run.findMany({ omit, where, orderBy: { id: 'desc' }, take: page.limit + 1 });
    return rows.map((row) => toSummary({ ...row, output: row.output ?? null }));
  };
  if (isOfStatuses(filter))
    return readFound(
      () => findOfStatuses(transaction, filter, page),
      (found) => read({ id: { in: found } }),
    );
  const { environmentId, workflowId, messageId, status, ids } = filter;
  const below = [ids.before, page.after].filter((bound) => bound !== undefined).toSorted()[0];
  const where = {
    environmentId,
    ...(workflowId !== undefined && { workflowId }),
    ...(messageId !== undefined && { messageId }),
    ...(status !== undefined && { status: { in: [...status] } }),
    id: { ...(ids.from !== undefined && { gte: ids.from }), ...(below !== undefined && { lt: below }) },
  };
  return read(where);
}

type OfStatuses = RunFilter & { status: readonly RunStatus[] };

/** Whether only several statuses limit the runs of an environment: no index has these in one order. */
const isOfStatuses = (filter: RunFilter): filter is OfStatuses =>
  filter.workflowId === undefined && filter.messageId === undefined && (filter.status?.length ?? 0) > 1;

/** Merges an index scan per status; PostgreSQL would otherwise sort all matching runs or read all others. */
function findOfStatuses(
  transaction: DatabaseTransaction,
  { environmentId, status, ids }: OfStatuses,
  { limit, after }: PageRequest,
): Promise<string[]> {
  const values = createValues();
  const walk = {
    table: 'runs',
    columns: ['environment_id', 'status'],
    at: [values.add(environmentId), 'w.status'],
    bounds: idBounds(values, ids, after),
    limit: limit + 1,
  };
  const walks = `walks (status) AS (VALUES ${status.map((one) => `(${values.add(one)})`).join(', ')})`;
  return findAlong(transaction, `WITH ${walks}, ${alongAll('walks', walk)}`, values);
}

export async function findRun(
  transaction: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<Run | undefined> {
  const row = await transaction.run.findFirst({ where: { id, environmentId } });
  if (row === null) return undefined;
  const { workflowId, version } = row;
  const definition = await transaction.workflowVersion.findFirst({
    where: { workflowId, version, environmentId },
    select: { trigger: true, steps: true },
  });
  const steps = await transaction.runStep.findMany({
    where: { runId: id, environmentId },
    orderBy: [{ number: 'asc' }, { startedAt: 'asc' }],
  });
  return { ...toSummary(row), definition: toDefinition(definition), steps: steps.map(toStep) };
}

/**
 * Returns the version that a new run of this workflow uses, and whether it may start; undefined if the workflow does
 * not exist.
 */
export async function findToRun(
  reader: DatabaseReader,
  environmentId: string,
  id: string,
): Promise<{ status: string; version: number; trigger: string | null } | undefined> {
  const row = await reader.workflow.findFirst({
    where: { id, environmentId, deletedAt: null },
    select: {
      status: true,
      version: true,
      versions: { select: { trigger: true }, orderBy: { version: 'desc' }, take: 1 },
    },
  });
  return row === null
    ? undefined
    : { status: row.status, version: row.version, trigger: row.versions[0]?.trigger ?? null };
}

/** Whether the workflow exists or was deleted: the runs of a deleted one stay readable. */
export async function workflowExists(
  transaction: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<boolean> {
  return (await transaction.workflow.count({ where: { id, environmentId } })) > 0;
}

/** Inserts a manually started run. */
export async function insertRun(
  transaction: DatabaseTransaction,
  run: { id: string; environmentId: string; workflowId: string; version: number; input: string; now: Date },
): Promise<void> {
  const { now, ...columns } = run;
  await transaction.run.create({ data: { ...columns, triggerType: 'manual' satisfies RunTrigger, dueAt: now } });
}

const CANCEL = cancelRuns({ which: 'r.id = $1 AND r.environment_id = $2', reason: '$3' });

// Locked in a separate statement, so that the statement that ends runs sees what a concurrent retry has done to their
// steps.
const LOCK = 'SELECT FROM runs WHERE id = $1 AND environment_id = $2 FOR NO KEY UPDATE';

/** Cancels an unfinished run; a worker then cancels its Temporal workflow. Returns false if it had ended. */
export async function cancelRun(
  connection: PoolClient,
  { id, environmentId, reason }: { id: string; environmentId: string; reason: string },
): Promise<boolean> {
  await connection.query(LOCK, [id, environmentId]);
  const { rowCount } = await connection.query(CANCEL, [id, environmentId, reason]);
  return rowCount === 1;
}

/** Selects unfinished runs of one workflow. `named`: only these. */
export type UnfinishedRuns = {
  environmentId: string;
  workflowId: string;
  statuses: readonly RunStatus[];
  ids: IdRange;
  named: readonly string[] | undefined;
};

// Uses the index by status, because a workflow can have millions of finished runs.
const UNFINISHED = `c.environment_id = $1 AND c.workflow_id = $2 AND c.status = ANY ($3::text[])
  AND ($4::text IS NULL OR c.id >= $4) AND ($5::text IS NULL OR c.id < $5) AND ($6::text[] IS NULL OR c.id = ANY ($6))`;

const COUNT = `SELECT count(*)::int AS count FROM runs c WHERE ${UNFINISHED}`;

// In id order, so that concurrent requests wait for each other.
const LOCK_MANY = `SELECT c.id FROM runs c WHERE ${UNFINISHED} ORDER BY c.id LIMIT $7 FOR NO KEY UPDATE`;

const CANCEL_MANY = cancelRuns({ which: 'r.id = ANY ($1::text[])', reason: '$2' });

const valuesOf = ({ environmentId, workflowId, statuses, ids, named }: UnfinishedRuns): unknown[] => [
  environmentId,
  workflowId,
  statuses,
  ids.from ?? null,
  ids.before ?? null,
  named ?? null,
];

export async function countUnfinished(connection: PoolClient, which: UnfinishedRuns): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(COUNT, valuesOf(which));
  return rows[0]?.count ?? 0;
}

/**
 * Cancels the oldest of these runs, at most `most`; a worker then cancels their Temporal workflows. Returns how many.
 */
export async function cancelUnfinished(
  connection: PoolClient,
  which: UnfinishedRuns,
  { reason, most }: { reason: string; most: number },
): Promise<number> {
  const { rows } = await connection.query<{ id: string }>(LOCK_MANY, [...valuesOf(which), most]);
  const { rowCount } = await connection.query(CANCEL_MANY, [rows.map(({ id }) => id), reason]);
  return rowCount ?? 0;
}

/** A definition with its version. Texts are JSON, null if a draft lacks them. */
export type VersionText = { version: number; trigger: string | null; steps: string | null };

// Locked, so that no other request retries the run in between.
const FIND_BEGUN = `
  SELECT o.version, o.trigger, o.steps, l.version AS "latestVersion", l.trigger AS "latestTrigger", l.steps AS "latestSteps"
  FROM runs r JOIN workflows w ON w.id = r.workflow_id
  JOIN workflow_versions o ON o.workflow_id = w.id AND o.version = r.version
  JOIN workflow_versions l ON l.workflow_id = w.id AND l.version = w.version
  WHERE r.id = $1 AND r.environment_id = $2 FOR NO KEY UPDATE OF r`;

/** Returns the definition of a run, the latest one of its workflow, and the started steps. Locks the run. */
export async function findBegun(
  connection: PoolClient,
  { id, environmentId }: { id: string; environmentId: string },
): Promise<{ own: VersionText; latest: VersionText; recorded: RecordedStep[] } | undefined> {
  const found = await connection.query<
    VersionText & { latestVersion: number; latestTrigger: string | null; latestSteps: string | null }
  >(FIND_BEGUN, [id, environmentId]);
  if (found.rows[0] === undefined) return undefined;
  const { latestVersion, latestTrigger, latestSteps, ...own } = found.rows[0];
  const recorded = await connection.query<RecordedStep>(
    'SELECT step_id AS "stepId", iteration, type, status, way FROM run_steps WHERE run_id = $1 AND environment_id = $2',
    [id, environmentId],
  );
  const latest = { version: latestVersion, trigger: latestTrigger, steps: latestSteps };
  return { own, latest, recorded: recorded.rows };
}

const errorOf = (code: string | null, message: string | null) =>
  code === null ? {} : { error: { code, message: message ?? '' } };

function toSummary(row: Omit<RunRow, 'input'>): RunSummary {
  const { error } = errorOf(row.errorCode, row.errorMessage);
  return {
    id: row.id,
    workflowId: row.workflowId,
    definitionVersion: row.version,
    // `as`: the columns only have values of these lists.
    status: row.status as RunStatus,
    trigger: {
      type: row.triggerType as RunTrigger,
      ...(row.messageId !== null && { messageId: row.messageId }),
      ...(row.channelId !== null && { channelId: row.channelId }),
      ...(row.parentRunId !== null && { runId: row.parentRunId }),
      ...(row.parentStep !== null && { stepId: row.parentStep.split('#')[0] ?? '' }),
    },
    createdAt: timeOfId('run', row.id) ?? new Date(0),
    ...(row.startedAt !== null && { startedAt: row.startedAt }),
    ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
    ...(error !== undefined && { error: { ...error, ...(row.errorStep !== null && { stepId: row.errorStep }) } }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.filteredBy !== null && { filteredBy: row.filteredBy }),
    ...(row.output !== null && { output: new ExactJson(row.output) }),
  };
}

/** Only active workflows have runs, so the version always has both. */
const toDefinition = (version: { trigger: string | null; steps: string | null } | null): Run['definition'] => ({
  trigger: new ExactJson(version?.trigger ?? '{}'),
  steps: new ExactJson(version?.steps ?? '[]'),
});

const toStep = (row: StepRow): RunStep => ({
  id: row.stepId,
  iteration: row.iteration,
  // `as`: the columns only have values of these lists.
  type: row.type as RunStep['type'],
  status: row.status as RunStepStatus,
  ...(row.input !== null && row.type !== 'parallel' && { input: new ExactJson(row.input) }),
  ...(row.output !== null && { output: new ExactJson(row.output) }),
  ...errorOf(row.errorCode, row.errorMessage),
  attempts: row.attempts,
  ...(row.crashes > 0 && { crashes: row.crashes }),
  startedAt: row.startedAt,
  ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
});
