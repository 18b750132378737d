-- Runs of workflows and their steps (docs/workflows.md). A run is the record of what a Temporal workflow carries, and before that its own
-- outbox: a row with `due_at` waits for a worker. No foreign key leads to messages, which retention removes before the runs they began.

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "trigger_type" TEXT NOT NULL,
    "message_id" TEXT COLLATE "C",
    "channel_id" TEXT COLLATE "C",
    "input" TEXT,
    "parent_run_id" TEXT COLLATE "C",
    "parent_step" TEXT,
    "chain_depth" SMALLINT NOT NULL DEFAULT 0,
    "round" INTEGER NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(3),
    "holder" TEXT COLLATE "C",
    "carrier" TEXT COLLATE "C",
    "looked_at" TIMESTAMPTZ(3),
    "executions" INTEGER NOT NULL DEFAULT 0,
    "output_bytes" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "error_message" TEXT,
    "error_step" TEXT,
    "reason" TEXT,
    "output" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_steps" (
    "run_id" TEXT COLLATE "C" NOT NULL,
    "step_id" TEXT COLLATE "C" NOT NULL,
    "iteration" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "input" TEXT,
    "output" TEXT,
    "assigned" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "crashes" INTEGER NOT NULL DEFAULT 0,
    "way" TEXT,
    "until" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_steps_pkey" PRIMARY KEY ("run_id", "step_id", "iteration")
);

-- CreateIndex
CREATE UNIQUE INDEX "runs_environment_id_id_key" ON "runs"("environment_id", "id");

-- CreateIndex
CREATE INDEX "runs_workflow_id_id_idx" ON "runs"("workflow_id", "id");

-- CreateIndex
CREATE INDEX "runs_environment_id_status_id_idx" ON "runs"("environment_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "runs_message" ON "runs"("workflow_id", "message_id") WHERE (message_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_due" ON "runs"("due_at") WHERE (due_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_held" ON "runs"("holder") WHERE (holder IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_carried" ON "runs"("looked_at") WHERE (carrier IS NOT NULL AND finished_at IS NULL);

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_steps" ADD CONSTRAINT "run_steps_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id") REFERENCES "runs"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Policies as in 0025_row_security.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['runs', 'run_steps'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_all ON %I FOR ALL USING ((SELECT to_regrole(''posthorn_tenant'') IS NULL OR NOT pg_has_role(current_user, to_regrole(''posthorn_tenant''), ''USAGE''))'
      || ' OR ((SELECT has_table_privilege(session_user, ''encryption_keys''::regclass, ''SELECT'')) AND environment_id = (SELECT current_setting(''posthorn.environment'', true))))', name);
  END LOOP;
END $$;
