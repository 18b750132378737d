-- Requests to inbound webhooks that were taken, each with its message (docs/inbound-webhooks.md).

-- CreateTable
CREATE TABLE "inbound_receipts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "inbound_webhook_id" TEXT COLLATE "C" NOT NULL,
    "is_repeated" BOOLEAN NOT NULL,
    "is_sample" BOOLEAN NOT NULL,
    "event_id" TEXT COLLATE "C",
    "message_id" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_receipts_pkey" PRIMARY KEY ("inbound_webhook_id","is_repeated","id")
);

-- CreateIndex
CREATE INDEX "inbound_receipts_expires_at_idx" ON "inbound_receipts"("expires_at");

-- A policy as in 0025_row_security.
ALTER TABLE "inbound_receipts" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "inbound_receipts" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
