-- Health of a subscription beside its circuit: when it was resumed, and whether its high backlog has caused an event.

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "backlog_high_since" TIMESTAMPTZ(3),
ADD COLUMN "resumed_at" TIMESTAMPTZ(3);
