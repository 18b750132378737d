-- Decisions that steps of workflows wait for (docs/workflows.md).

-- CreateTable
CREATE TABLE "approvals" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "run_id" TEXT COLLATE "C" NOT NULL,
    "step_id" TEXT COLLATE "C" NOT NULL,
    "iteration" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "title" TEXT NOT NULL,
    "message" TEXT,
    "approvers" TEXT[] NOT NULL,
    "form" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "comment" TEXT,
    "data" TEXT,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "approvals_open" ON "approvals"("run_id", "step_id", "iteration") WHERE (status = 'open');

-- CreateIndex
CREATE INDEX "approvals_run_id_id_idx" ON "approvals"("run_id", "id");

-- CreateIndex
CREATE INDEX "approvals_environment_id_status_id_idx" ON "approvals"("environment_id", "status", "id");

-- CreateIndex
CREATE INDEX "approvals_environment_id_id_idx" ON "approvals"("environment_id", "id");

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id") REFERENCES "runs"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Policies as in 0025_row_security.
ALTER TABLE "approvals" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "approvals" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
