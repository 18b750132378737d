-- Steps that wait for a message (docs/workflows.md). A version says which messages its steps may wait for; publishing notes such a message
-- in the transaction that stores it, and a worker finds the runs that wait for it. The wait is registered before the messages of the run's
-- time are looked through, and the note is there before the message can be seen: so one of the two finds the other.

-- AlterTable
ALTER TABLE "workflow_versions" ADD COLUMN "listens" JSONB;

-- CreateIndex
CREATE INDEX "workflow_versions_listening" ON "workflow_versions"("environment_id") WHERE (listens IS NOT NULL);

-- CreateTable
CREATE TABLE "heard_messages" (
    "message_id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "heard_messages_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "run_waits" (
    "run_id" TEXT COLLATE "C" NOT NULL,
    "step_id" TEXT COLLATE "C" NOT NULL,
    "iteration" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "place" TEXT COLLATE "C",
    "key" TEXT COLLATE "C",
    "since" TIMESTAMPTZ(3),
    "message_id" TEXT COLLATE "C",
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_waits_pkey" PRIMARY KEY ("run_id", "step_id", "iteration")
);

-- CreateIndex
CREATE INDEX "run_waits_open" ON "run_waits"("environment_id", "place", "key") WHERE (place IS NOT NULL AND message_id IS NULL);

-- CreateIndex
CREATE INDEX "run_waits_due" ON "run_waits"("due_at") WHERE (due_at IS NOT NULL);

-- A message ends one wait of a run at most.
-- CreateIndex
CREATE UNIQUE INDEX "run_waits_taken" ON "run_waits"("run_id", "message_id") WHERE (message_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "run_waits" ADD CONSTRAINT "run_waits_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id") REFERENCES "runs"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Policies as in 0025_row_security. Notes of messages are the engine's alone.
ALTER TABLE "run_waits" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "run_waits" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
