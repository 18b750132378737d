-- A run names the replay that has made it due last, as deliveries do (0085). In one transaction with theirs, publishing would wait for both.
ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "replay_id" TEXT COLLATE "C";
