-- A bulk replay may be of the deliveries that were made in a span of time.
ALTER TABLE "bulk_replays"
  ADD COLUMN IF NOT EXISTS "delivery_since" TIMESTAMPTZ(3),
  ADD COLUMN IF NOT EXISTS "delivery_until" TIMESTAMPTZ(3);
