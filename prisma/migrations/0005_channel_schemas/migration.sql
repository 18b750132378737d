-- Schemas of single event types beside the one of all payloads, what they do, and the version of everything that publishing
-- to a channel depends on.

-- AlterTable
ALTER TABLE "channels" ADD COLUMN "config_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN "schema_mode" TEXT NOT NULL DEFAULT 'enforce',
ADD COLUMN "schemas" JSON;

-- Until now a schema was kept and nothing checked against it. What is published to those channels goes on being taken; the
-- answers now tell what does not fit, and their owners choose when to enforce.
UPDATE "channels" SET "schema_mode" = 'warn' WHERE "schema" IS NOT NULL;
