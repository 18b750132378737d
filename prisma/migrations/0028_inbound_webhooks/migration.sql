-- Inbound webhooks: addresses where external services send requests that become messages (docs/inbound-webhooks.md).

-- CreateTable
CREATE TABLE "inbound_webhooks" (
    "id" TEXT COLLATE "C" NOT NULL,
    "position" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "scheme" TEXT NOT NULL,
    "provider" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "settings" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_webhook_secrets" (
    "id" TEXT COLLATE "C" NOT NULL,
    "inbound_webhook_id" TEXT COLLATE "C" NOT NULL,
    "ciphertext" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbound_webhook_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_events" (
    "inbound_webhook_id" TEXT COLLATE "C" NOT NULL,
    "event_id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "message_id" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_events_pkey" PRIMARY KEY ("inbound_webhook_id","event_id")
);

-- CreateTable
CREATE TABLE "inbound_refusals" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "inbound_webhook_id" TEXT COLLATE "C" NOT NULL,
    "reason" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "user_agent" TEXT,
    "event_id" TEXT COLLATE "C",
    "bytes" INTEGER NOT NULL,
    "refused_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_refusals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "inbound_webhooks_position_key" ON "inbound_webhooks"("position");

-- CreateIndex
CREATE INDEX "inbound_webhooks_environment_id_position_idx" ON "inbound_webhooks"("environment_id", "position");

-- CreateIndex
CREATE INDEX "inbound_webhooks_environment_id_channel_id_idx" ON "inbound_webhooks"("environment_id", "channel_id");

-- CreateIndex
CREATE INDEX "inbound_webhook_secrets_inbound_webhook_id_idx" ON "inbound_webhook_secrets"("inbound_webhook_id");

-- CreateIndex
CREATE INDEX "inbound_events_expires_at_idx" ON "inbound_events"("expires_at");

-- CreateIndex
CREATE INDEX "inbound_refusals_inbound_webhook_id_id_idx" ON "inbound_refusals"("inbound_webhook_id", "id");

-- CreateIndex
CREATE INDEX "inbound_refusals_expires_at_idx" ON "inbound_refusals"("expires_at");

-- AddForeignKey
ALTER TABLE "inbound_webhooks" ADD CONSTRAINT "inbound_webhooks_environment_id_channel_id_fkey" FOREIGN KEY ("environment_id", "channel_id") REFERENCES "channels"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_webhook_secrets" ADD CONSTRAINT "inbound_webhook_secrets_inbound_webhook_id_fkey" FOREIGN KEY ("inbound_webhook_id") REFERENCES "inbound_webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_refusals" ADD CONSTRAINT "inbound_refusals_inbound_webhook_id_fkey" FOREIGN KEY ("inbound_webhook_id") REFERENCES "inbound_webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Row-level security as in 0025_row_security: the same rule, with the tenant's condition of each table.
DO $$
DECLARE
  rule CONSTANT text := '(SELECT to_regrole(''posthorn_tenant'') IS NULL OR NOT pg_has_role(current_user, to_regrole(''posthorn_tenant''), ''USAGE''))'
    || ' OR ((SELECT has_table_privilege(session_user, ''encryption_keys''::regclass, ''SELECT'')) AND (%s))';
  of_environment CONSTANT text := 'environment_id = (SELECT current_setting(''posthorn.environment'', true))';
  protected record;
BEGIN
  FOR protected IN SELECT * FROM (VALUES
    ('inbound_webhooks', of_environment),
    ('inbound_webhook_secrets', 'EXISTS (SELECT FROM inbound_webhooks w WHERE w.id = inbound_webhook_id)'),
    ('inbound_events', of_environment),
    ('inbound_refusals', of_environment)) AS p (name, condition)
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', protected.name);
    EXECUTE format('CREATE POLICY tenant_all ON %I FOR ALL USING (%s)', protected.name, format(rule, protected.condition));
  END LOOP;
END $$;

-- Keys that had every right there was have the new ones too, as in 0024_audit.
UPDATE "api_keys" SET "scopes" = "scopes" || ARRAY['webhooks:read', 'webhooks:write']
WHERE "scopes" @> ARRAY['channels:read', 'channels:write', 'messages:read', 'messages:write', 'subscriptions:read', 'subscriptions:write',
  'deliveries:read', 'dlq:read', 'dlq:write', 'credentials:write', 'apps:read', 'apps:write', 'audit:read']
  AND NOT "scopes" && ARRAY['webhooks:read', 'webhooks:write'];
