-- A key of `dedupe` has a run for each time in which it was taken, and the times are those at which runs were made. So neither a worker that
-- comes late nor a run that waits for its turn is held against the hour at which it is asked.

-- AlterTable
ALTER TABLE "run_keys" ADD COLUMN "until_id" TEXT COLLATE "C",
DROP CONSTRAINT "run_keys_pkey",
ADD CONSTRAINT "run_keys_pkey" PRIMARY KEY ("workflow_id", "key", "run_id");

-- An id begins with its time: 48 bits of milliseconds in ten characters.
UPDATE "run_keys" SET "until_id" = 'run_' || (
  SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((floor(extract(epoch FROM until) * 1000)::bigint >> (5 * place)) & 31)::int + 1, 1),
    '' ORDER BY place DESC) FROM generate_series(0, 9) AS place
) || repeat('0', 16);

-- AlterTable
ALTER TABLE "run_keys" ALTER COLUMN "until_id" SET NOT NULL;

-- One index on a run's message instead of two: it holds a message to one run of each workflow, and tells retention of the runs of a message.
-- DropIndex
DROP INDEX "runs_under_way";

-- CreateIndex
CREATE UNIQUE INDEX "runs_of_message" ON "runs"("message_id", "workflow_id") WHERE (message_id IS NOT NULL);

-- DropIndex
DROP INDEX "runs_message";
