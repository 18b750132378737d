-- What the health of a subscription needs beside its circuit: when it was resumed, and that a high backlog is told of once.

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "backlog_high_since" TIMESTAMPTZ(3),
ADD COLUMN "resumed_at" TIMESTAMPTZ(3);
