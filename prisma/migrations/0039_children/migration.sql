-- Runs that steps of other runs begin (docs/workflows.md): one for each step, however often its beginning is repeated.

-- CreateIndex
CREATE UNIQUE INDEX "runs_children" ON "runs"("parent_run_id", "parent_step") WHERE (parent_step IS NOT NULL);
