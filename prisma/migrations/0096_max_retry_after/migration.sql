-- Longest Retry-After of a receiver that is kept to, in ms (docs/api.md, Subscriptions). A constant default rewrites no row, and workers
-- of an older release leave it.

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "max_retry_after" INTEGER NOT NULL DEFAULT 86400000;
