-- Temporal is given the next times of each schedule, computed by the service, and has to be given more before they run out. The default
-- lies in the past: schedules that an older release has put into Temporal, as cron expressions, are put there anew by the next worker.

-- AlterTable
ALTER TABLE "workflow_schedules" ADD COLUMN "top_up_at" TIMESTAMPTZ(3) DEFAULT '1970-01-01 00:00:00+00';

-- CreateIndex
CREATE INDEX "workflow_schedules_top_up" ON "workflow_schedules"("top_up_at") WHERE (top_up_at IS NOT NULL);

-- Service events begin runs of workflows, and loops of such runs have to end. A message keeps how many runs stand before it, so that its
-- dead letter knows. A column without a default changes no row.

-- AlterTable
ALTER TABLE "messages" ADD COLUMN "chain_depth" SMALLINT;
