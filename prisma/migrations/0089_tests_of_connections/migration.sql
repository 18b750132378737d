-- The last test of a connection's present credentials. Null: none was made since they were set, or by a release before this one.
ALTER TABLE "connections"
  ADD COLUMN IF NOT EXISTS "last_tested_at" TIMESTAMPTZ(3),
  ADD COLUMN IF NOT EXISTS "last_test_ok" BOOLEAN,
  ADD COLUMN IF NOT EXISTS "last_test_message" TEXT COLLATE "C";
