import type { PoolClient } from 'pg';
import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import { ExactJson } from '../../kernel/values/exact-json.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { ApprovalStatus } from '../../kernel/words/statuses.ts';
import type { Approval, Decision } from './schema.ts';

type Row = {
  id: string;
  workflowId: string;
  runId: string;
  stepId: string;
  iteration: string;
  status: string;
  title: string;
  message: string | null;
  approvers: string[];
  form: string | null;
  createdAt: Date;
  expiresAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  comment: string | null;
  data: string | null;
};

// If the step no longer waits, it was stopped, so its approval is cancelled.
const STATUS = `CASE WHEN a.status = 'open' AND s.status IS DISTINCT FROM 'waiting' THEN 'cancelled' ELSE a.status END`;
const FROM = `FROM approvals a
  LEFT JOIN run_steps s ON s.run_id = a.run_id AND s.step_id = a.step_id AND s.iteration = a.iteration`;
const SELECT = `
  SELECT a.id, a.workflow_id AS "workflowId", a.run_id AS "runId", a.step_id AS "stepId", a.iteration, ${STATUS} AS status, a.title,
    a.message, a.approvers, a.form, a.created_at AS "createdAt", a.expires_at AS "expiresAt", a.decided_by AS "decidedBy",
    a.decided_at AS "decidedAt", a.comment, a.data ${FROM}`;

export type ApprovalFilter = {
  environmentId: string;
  status?: ApprovalStatus | undefined;
  runId?: string | undefined;
  workflowId?: string | undefined;
};

/** Returns approvals, newest first, plus one more if there is one. */
export async function findApprovals(
  transaction: DatabaseTransaction,
  { environmentId, status, runId, workflowId }: ApprovalFilter,
  { limit, after }: PageRequest,
): Promise<Approval[]> {
  const rows = await transaction.$queryRawUnsafe<Row[]>(
    `${SELECT} WHERE a.environment_id = $1 AND ($2::text IS NULL OR (${STATUS}) = $2) AND ($3::text IS NULL OR a.run_id = $3)
       AND ($4::text IS NULL OR a.workflow_id = $4) AND ($5::text IS NULL OR a.id < $5)
     ORDER BY a.id DESC LIMIT ${limit + 1}`,
    environmentId,
    status ?? null,
    runId ?? null,
    workflowId ?? null,
    after ?? null,
  );
  return rows.map(toApproval);
}

export async function findApproval(
  reader: Pick<DatabaseReader, '$queryRawUnsafe'>,
  environmentId: string,
  id: string,
): Promise<Approval | undefined> {
  const [row] = await reader.$queryRawUnsafe<Row[]>(
    `${SELECT} WHERE a.environment_id = $1 AND a.id = $2`,
    environmentId,
    id,
  );
  return row && toApproval(row);
}

/** What distinguishes the approvals of one run. */
export type QuestionOfRun = Pick<Approval, 'id' | 'stepId' | 'iteration' | 'status'>;

/**
 * Returns all approvals of a run, newest first; undefined if the run does not exist. Without schemas and data, because
 * a loop may ask 1,000 times with a schema of 200 KiB each.
 */
export async function findOfRun(
  reader: DatabaseTransaction,
  environmentId: string,
  runId: string,
): Promise<QuestionOfRun[] | undefined> {
  if ((await reader.run.count({ where: { id: runId, environmentId } })) === 0) return undefined;
  const rows = await reader.$queryRawUnsafe<QuestionOfRun[]>(
    `SELECT a.id, a.step_id AS "stepId", a.iteration, ${STATUS} AS status ${FROM}
     WHERE a.environment_id = $1 AND a.run_id = $2 ORDER BY a.id DESC`,
    environmentId,
    runId,
  );
  return rows;
}

/** Returns the email address of a user; undefined for other principals. */
export async function emailOf(reader: DatabaseTransaction, userId: string): Promise<string | undefined> {
  const user = await reader.user.findFirst({ where: { id: userId }, select: { email: true } });
  return user?.email;
}

// The waiting step is woken in the same statement, so that every recorded decision reaches its run.
const DECIDE = `
  WITH decided AS (
    UPDATE approvals a SET status = $3, decided_by = $4, decided_at = now(), comment = $5, data = $6
    FROM run_steps s
    WHERE a.id = $1 AND a.environment_id = $2 AND a.status = 'open'
      AND s.run_id = a.run_id AND s.step_id = a.step_id AND s.iteration = a.iteration AND s.status = 'waiting'
    RETURNING a.run_id, a.step_id, a.iteration
  ), woken AS (
    UPDATE run_waits w SET due_at = now() FROM decided d
    WHERE w.run_id = d.run_id AND w.step_id = d.step_id AND w.iteration = d.iteration
  )
  SELECT FROM decided`;

/** Records a decision and wakes its run. Returns false if the approval is no longer open. `data` is JSON text. */
export async function decide(
  connection: PoolClient,
  {
    id,
    environmentId,
    decision,
    by,
    comment,
    data,
  }: {
    id: string;
    environmentId: string;
    decision: Decision;
    by: string;
    comment: string | undefined;
    data: string | undefined;
  },
): Promise<boolean> {
  const values = [id, environmentId, decision, by, comment ?? null, data ?? null];
  return (await connection.query(DECIDE, values)).rowCount === 1;
}

const toApproval = ({ status, message, form, decidedBy, decidedAt, comment, data, ...row }: Row): Approval => ({
  ...row,
  // `as`: the column only has values of this list.
  status: status as ApprovalStatus,
  ...(message !== null && { message }),
  ...(form !== null && { form: new ExactJson(form) }),
  ...(decidedBy !== null && { decidedBy }),
  ...(decidedAt !== null && { decidedAt }),
  ...(comment !== null && { comment }),
  ...(data !== null && { data: new ExactJson(data) }),
});
