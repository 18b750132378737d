-- Workflows that begin by a schedule (docs/workflows.md). Temporal has the schedules themselves; a row here says that one of them is to be
-- looked at again, and so is their outbox.

-- AlterTable
ALTER TABLE "runs" ADD COLUMN "scheduled_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "runs_scheduled" ON "runs"("workflow_id", "scheduled_at") WHERE (scheduled_at IS NOT NULL);

-- CreateTable
CREATE TABLE "workflow_schedules" (
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "synced" INTEGER NOT NULL DEFAULT 0,
    "problem" TEXT,

    CONSTRAINT "workflow_schedules_pkey" PRIMARY KEY ("workflow_id")
);

-- CreateIndex
CREATE INDEX "workflow_schedules_due" ON "workflow_schedules"("workflow_id") WHERE (synced < revision);

-- AddForeignKey
ALTER TABLE "workflow_schedules" ADD CONSTRAINT "workflow_schedules_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Policies as in 0025_row_security.
ALTER TABLE "workflow_schedules" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "workflow_schedules" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
