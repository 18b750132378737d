-- Audit log: who changed what, from where. One hash chain for each organisation; its head stands in a table of its own, so that
-- entries missing at the end are noticed too (docs/security.md).

-- CreateTable
CREATE TABLE "audit_heads" (
    "organisation_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_heads_pkey" PRIMARY KEY ("organisation_id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT COLLATE "C" NOT NULL,
    "organisation_id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C",
    "actor_id" TEXT COLLATE "C",
    "action" TEXT NOT NULL,
    "target_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "entry" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_entries_organisation_id_position_key" ON "audit_entries"("organisation_id", "position");

-- CreateIndex
CREATE INDEX "audit_entries_organisation_id_id_idx" ON "audit_entries"("organisation_id", "id");

-- CreateIndex
CREATE INDEX "audit_entries_environment_id_id_idx" ON "audit_entries"("environment_id", "id");

-- CreateIndex
CREATE INDEX "audit_entries_environment_id_target_id_id_idx" ON "audit_entries"("environment_id", "target_id", "id");

-- AddForeignKey
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Entries are added and never changed, also by the owner of the table: he would have to drop the trigger first.
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entries"
FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- Keys that had every right there was may read the log too; every other key keeps what it has.
UPDATE "api_keys" SET "scopes" = "scopes" || ARRAY['audit:read']
WHERE "scopes" @> ARRAY['channels:read', 'channels:write', 'messages:read', 'messages:write', 'subscriptions:read', 'subscriptions:write',
  'deliveries:read', 'dlq:read', 'dlq:write', 'credentials:write', 'apps:read', 'apps:write'] AND NOT "scopes" && ARRAY['audit:read'];
