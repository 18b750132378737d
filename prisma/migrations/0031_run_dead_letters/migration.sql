-- A run of a workflow that has failed is a dead letter, as a delivery is. Its indexes leave deliveries out, so that their dead letters
-- cost no more than before.

-- AlterTable
ALTER TABLE "dead_letters" ADD COLUMN "workflow_id" TEXT COLLATE "C",
ADD COLUMN "run_id" TEXT COLLATE "C",
ADD COLUMN "step_id" TEXT COLLATE "C",
ADD COLUMN "iteration" TEXT COLLATE "C",
ADD COLUMN "error_code" TEXT;

-- AlterTable
ALTER TABLE "bulk_replays" ADD COLUMN "workflow_id" TEXT COLLATE "C";

-- CreateIndex
CREATE UNIQUE INDEX "dead_letters_run" ON "dead_letters"("run_id", "round") WHERE (run_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "dead_letters_workflow" ON "dead_letters"("workflow_id", "id") WHERE (workflow_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "dead_letters_workflow_status" ON "dead_letters"("workflow_id", "status", "id") WHERE (workflow_id IS NOT NULL);

-- Retention keeps the message of a run that has not ended.
-- CreateIndex
CREATE INDEX "runs_under_way" ON "runs"("message_id") WHERE (message_id IS NOT NULL AND finished_at IS NULL);
