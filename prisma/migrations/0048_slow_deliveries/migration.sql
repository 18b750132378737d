-- Deliveries that were answered slowly are found without a look at the others. A delivery that is answered within a second has no entry.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "deliveries_slow" ON "deliveries"("environment_id", "id") WHERE (response_latency_ms >= 1000);
