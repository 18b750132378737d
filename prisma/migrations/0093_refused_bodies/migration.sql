-- A refused request whose signature was good keeps its body, so that it can be downloaded and accepted later. `head` has what else is
-- needed to map it, as JSON text; `kept_bytes` is the length of the body while it is kept. Null: nothing is kept, which is true of all
-- rows of a release before this one. `message_id` is the message that an accepted request became.

-- AlterTable
ALTER TABLE "inbound_refusals" ADD COLUMN IF NOT EXISTS "body" BYTEA,
  ADD COLUMN IF NOT EXISTS "head" TEXT COLLATE "C",
  ADD COLUMN IF NOT EXISTS "kept_bytes" INTEGER,
  ADD COLUMN IF NOT EXISTS "message_id" TEXT COLLATE "C";

-- CreateIndex
CREATE INDEX IF NOT EXISTS "inbound_refusals_kept" ON "inbound_refusals"("inbound_webhook_id", "kept_bytes") WHERE (kept_bytes IS NOT NULL);
