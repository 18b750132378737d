import type { Pool } from 'pg';
import type { StepInput } from '../../../kernel/contract/run-workflow.ts';
import type { ApprovalStatus } from '../../../kernel/words/statuses.ts';

type Step = Pick<StepInput, 'runId' | 'stepId' | 'iteration'>;

export type NewApproval = Step & {
  id: string;
  environmentId: string;
  workflowId: string;
  title: string;
  message: string | undefined;
  approvers: readonly string[];
  /** JSON text. */
  form: string | undefined;
  createdAt: Date;
  expiresAt: Date;
};

/** Creates an approval, once. If one is still open because its step was stopped before, it is updated. */
export async function openApproval(pool: Pool, approval: NewApproval): Promise<void> {
  const { id, environmentId, workflowId, runId, stepId, iteration, title, message, approvers, form } = approval;
  await pool.query({
    name: 'open_approval',
    text: `INSERT INTO approvals (id, environment_id, workflow_id, run_id, step_id, iteration, title, message, approvers, form, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      ON CONFLICT (run_id, step_id, iteration) WHERE status = 'open' DO UPDATE SET title = excluded.title, message = excluded.message,
        approvers = excluded.approvers, form = excluded.form, expires_at = excluded.expires_at`,
    values: [
      id,
      environmentId,
      workflowId,
      runId,
      stepId,
      iteration,
      title,
      message ?? null,
      approvers,
      form ?? null,
      approval.createdAt,
      approval.expiresAt,
    ],
  });
}

export type Decided = {
  status: ApprovalStatus;
  by: string | null;
  at: Date | null;
  comment: string | null;
  /** JSON text. */
  data: string | null;
};

/** Returns the latest approval of a step. */
export async function readApproval(pool: Pool, { runId, stepId, iteration }: Step): Promise<Decided | undefined> {
  const { rows } = await pool.query<Decided>({
    name: 'read_approval',
    text: `SELECT status, decided_by AS by, decided_at AS at, comment, data FROM approvals
      WHERE run_id = $1 AND step_id = $2 AND iteration = $3 ORDER BY id DESC LIMIT 1`,
    values: [runId, stepId, iteration],
  });
  return rows[0];
}

/** Marks an approval as expired. An existing decision stays. */
export async function expireApproval(pool: Pool, { runId, stepId, iteration }: Step): Promise<void> {
  await pool.query({
    name: 'expire_approval',
    text: `UPDATE approvals SET status = 'expired' WHERE run_id = $1 AND step_id = $2 AND iteration = $3 AND status = 'open'`,
    values: [runId, stepId, iteration],
  });
}

/** Cancels open approvals of stopped steps. */
export async function cancelCutApprovals(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE approvals a SET status = 'cancelled' FROM run_steps s
     WHERE a.status = 'open' AND s.run_id = a.run_id AND s.step_id = a.step_id AND s.iteration = a.iteration
       AND s.finished_at IS NOT NULL`,
  );
}
