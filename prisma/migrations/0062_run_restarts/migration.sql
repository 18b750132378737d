-- A retry from the start does everything anew: receivers would take its requests for the earlier ones under the same idempotency keys.
ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "restarts" INTEGER NOT NULL DEFAULT 0;
