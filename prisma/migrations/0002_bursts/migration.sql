-- Bursts, isolation and health of subscriptions: two lanes of claiming, admission of retries, limits, circuit, service events.

-- DropIndex
DROP INDEX "deliveries_claimable";

-- AlterTable
ALTER TABLE "channels" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'user';

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN "policy_started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "incarnations" ADD COLUMN "host" TEXT COLLATE "C",
ADD COLUMN "pid" INTEGER;

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "circuit_opened_at" TIMESTAMPTZ(3),
ADD COLUMN "circuit_probe_at" TIMESTAMPTZ(3),
ADD COLUMN "failing_since" TIMESTAMPTZ(3),
ADD COLUMN "max_concurrency" INTEGER,
ADD COLUMN "rate_limit" INTEGER;

-- CreateIndex
CREATE INDEX "deliveries_first_tries" ON "deliveries"("subscription_id", "due_at", "id") WHERE (due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts = 0);

-- CreateIndex
CREATE INDEX "deliveries_retries" ON "deliveries"("subscription_id", "due_at", "id") WHERE (due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts > 0);

-- CreateIndex
CREATE INDEX "deliveries_carried" ON "deliveries"("subscription_id") WHERE (carrier IS NOT NULL AND due_at IS NOT NULL);
