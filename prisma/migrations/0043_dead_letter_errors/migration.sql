-- Dead letters are found by the last failure: its class, or the status of the answer.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "dead_letters_error_status" ON "dead_letters"("environment_id", "error_status", "status", "id") WHERE (error_status IS NOT NULL);

-- CreateIndex
CREATE INDEX IF NOT EXISTS "dead_letters_error_class" ON "dead_letters"("environment_id", "error_class", "status", "id") WHERE (error_class IS NOT NULL);

-- AlterTable
ALTER TABLE "bulk_replays" ADD COLUMN "error_class" TEXT,
ADD COLUMN "error_status" INTEGER;
