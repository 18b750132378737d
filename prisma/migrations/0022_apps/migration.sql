-- Apps: defaults of their own, and suspension. Keys: an overlap after rotation. Rows of the control plane that name a channel or a
-- subscription name its environment with it.

-- AlterTable
ALTER TABLE "apps" ADD COLUMN "settings" JSONB NOT NULL DEFAULT '{}', ADD COLUMN "suspended_at" TIMESTAMPTZ(3);

-- Columns without a default rewrite nothing. Suspending an app writes them, so that no hot statement asks for the app.
-- AlterTable
ALTER TABLE "channels" ADD COLUMN "app_suspended_at" TIMESTAMPTZ(3);
-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "app_suspended_at" TIMESTAMPTZ(3);

-- A subscription whose app is active again has rows of any age, as one that is resumed.
CREATE OR REPLACE TRIGGER subscriptions_tell_open AFTER UPDATE OF status, circuit_probe_at, app_suspended_at ON "subscriptions" FOR EACH ROW
  WHEN (NEW.status = 'active' AND NEW.app_suspended_at IS NULL AND NEW.deleted_at IS NULL
    AND (OLD.status <> 'active' OR OLD.app_suspended_at IS NOT NULL
    OR NEW.circuit_probe_at < OLD.circuit_probe_at OR (NEW.circuit_probe_at IS NULL AND OLD.circuit_probe_at IS NOT NULL)))
  EXECUTE FUNCTION posthorn_tell_open();

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN "previous_hash" BYTEA, ADD COLUMN "previous_expires_at" TIMESTAMPTZ(3);
-- CreateIndex
CREATE UNIQUE INDEX "api_keys_previous_hash_key" ON "api_keys"("previous_hash");

-- Keys that had every right there was were made without a choice of scopes: the first start's, and those of the command line. They
-- have the rights of apps too. Every other key keeps what it has.
UPDATE "api_keys" SET "scopes" = "scopes" || ARRAY['apps:read', 'apps:write']
WHERE "scopes" @> ARRAY['channels:read', 'channels:write', 'messages:read', 'messages:write', 'subscriptions:read', 'subscriptions:write',
  'deliveries:read', 'dlq:read', 'dlq:write', 'credentials:write'] AND NOT "scopes" && ARRAY['apps:read', 'apps:write'];

-- An environment belongs to one app and an app to one organisation, by keys of their own: its id stands for all three. Both indexes
-- and both checks take some ms for ten thousand subscriptions, and publishing waits for them.
-- CreateIndex
CREATE UNIQUE INDEX "channels_environment_id_id_key" ON "channels"("environment_id", "id");
-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_environment_id_id_key" ON "subscriptions"("environment_id", "id");

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_environment_id_channel_id_fkey"
  FOREIGN KEY ("environment_id", "channel_id") REFERENCES "channels"("environment_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
ALTER TABLE "subscriptions" VALIDATE CONSTRAINT "subscriptions_environment_id_channel_id_fkey";
-- DropForeignKey
ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_channel_id_fkey";

-- Replays of subscriptions that retention has removed for good.
DELETE FROM "message_replays" r
WHERE NOT EXISTS (SELECT FROM "subscriptions" s WHERE s.environment_id = r.environment_id AND s.id = r.subscription_id);
-- AddForeignKey
ALTER TABLE "message_replays" ADD CONSTRAINT "message_replays_environment_id_subscription_id_fkey"
  FOREIGN KEY ("environment_id", "subscription_id") REFERENCES "subscriptions"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;
ALTER TABLE "message_replays" VALIDATE CONSTRAINT "message_replays_environment_id_subscription_id_fkey";
