-- A delivery names the replay or bulk retry that has made it due last (docs/decisions.md): it then says what became of it.
ALTER TABLE "deliveries" ADD COLUMN IF NOT EXISTS "replay_id" TEXT COLLATE "C";
