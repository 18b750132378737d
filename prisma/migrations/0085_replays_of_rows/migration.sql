-- A delivery and a run name the replay or bulk retry that has made them due last (docs/decisions.md): it then says what became of them.
ALTER TABLE "deliveries" ADD COLUMN IF NOT EXISTS "replay_id" TEXT COLLATE "C";
ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "replay_id" TEXT COLLATE "C";
