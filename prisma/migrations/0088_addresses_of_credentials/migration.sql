-- The address that a credential was last used from, written with the time of that use. Null: used by a release before this one, or never.
ALTER TABLE "api_keys" ADD COLUMN IF NOT EXISTS "last_used_address" TEXT COLLATE "C";
ALTER TABLE "machine_credentials" ADD COLUMN IF NOT EXISTS "last_used_address" TEXT COLLATE "C";
