-- The circuit gives up nothing untried: a failed probe is remembered, and behind it each delivery whose policy is over makes
-- its one attempt. A subscription can do without the circuit breaker.

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "circuit_breaker" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN "circuit_probe_failed_at" TIMESTAMPTZ(3),
ADD COLUMN "circuit_settled_at" TIMESTAMPTZ(3),
ADD COLUMN "next_last_chance_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN "last_chance_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "subscriptions_probes_failed" ON "subscriptions"("id") WHERE (circuit_probe_failed_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "deliveries_last_chances" ON "deliveries"("subscription_id", "last_chance_until", "id") WHERE (last_chance_until IS NOT NULL AND due_at IS NOT NULL AND policy_attempts = 0);
