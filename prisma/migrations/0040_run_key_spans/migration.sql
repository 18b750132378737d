-- A key of `dedupe` has a run for each time in which it was taken, and the times are those at which runs were made. So neither a worker that
-- comes late nor a run that waits for its turn is held against the hour at which it is asked. Workers of earlier releases go on with
-- `run_keys`, which a contracting migration will drop.

-- CreateTable
CREATE TABLE "run_key_spans" (
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "run_id" TEXT COLLATE "C" NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "until_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "run_key_spans_pkey" PRIMARY KEY ("workflow_id", "key", "run_id")
);

-- CreateIndex
CREATE INDEX "run_key_spans_until_idx" ON "run_key_spans"("until");

-- AddForeignKey
ALTER TABLE "run_key_spans" ADD CONSTRAINT "run_key_spans_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- An id begins with its time: 48 bits of milliseconds in ten characters.
INSERT INTO "run_key_spans" (workflow_id, key, environment_id, run_id, until, until_id)
SELECT workflow_id, key, environment_id, run_id, until, 'run_' || (
  SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((floor(extract(epoch FROM until) * 1000)::bigint >> (5 * place)) & 31)::int + 1, 1),
    '' ORDER BY place DESC) FROM generate_series(0, 9) AS place
) || repeat('0', 16) FROM "run_keys";

-- One index on a run's message instead of two: it holds a message to one run of each workflow, and tells retention of the runs of a message.
-- CreateIndex
CREATE UNIQUE INDEX IF NOT EXISTS "runs_of_message" ON "runs"("message_id", "workflow_id") WHERE (message_id IS NOT NULL);

-- DropIndex
DROP INDEX "runs_under_way";

-- DropIndex
DROP INDEX "runs_message";
