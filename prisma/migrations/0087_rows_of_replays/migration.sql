-- The rows of a replay are counted and listed by their states. A row that no replay has made due has no entry.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "deliveries_replayed" ON "deliveries"("environment_id", "replay_id", "status", "id") WHERE (replay_id IS NOT NULL);

-- CreateIndex
CREATE INDEX IF NOT EXISTS "runs_replayed" ON "runs"("environment_id", "replay_id", "status", "id") WHERE (replay_id IS NOT NULL);
