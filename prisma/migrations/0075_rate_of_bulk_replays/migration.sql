-- A bulk replay may keep a rate, as a replay of messages does. Null: as fast as dead letters are found.
ALTER TABLE "bulk_replays"
  ADD COLUMN IF NOT EXISTS "rate_per_second" INTEGER,
  ADD COLUMN IF NOT EXISTS "next_batch_at" TIMESTAMPTZ(3);
-- The time before which no worker makes the next batch: the rate holds for the one that takes a replay over, too.
ALTER TABLE "message_replays" ADD COLUMN IF NOT EXISTS "next_batch_at" TIMESTAMPTZ(3);
