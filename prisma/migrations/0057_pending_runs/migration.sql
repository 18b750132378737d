-- A worker takes due runs by turns of their workflows, so that the backlog of one keeps nobody else waiting.
CREATE INDEX IF NOT EXISTS "runs_pending" ON "runs"("workflow_id", "due_at") WHERE (status = 'pending' AND due_at IS NOT NULL);
