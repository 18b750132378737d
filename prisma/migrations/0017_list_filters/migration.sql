-- Filters of lists: each has an index that is walked in the order of ids (src/db/walk.ts), and none is there without a filter.

-- By bytes, so that what begins with a text is one part of an index: the column alone is relabelled, no row is written.
-- AlterTable
ALTER TABLE "messages" ALTER COLUMN "event_type" TYPE TEXT COLLATE "C";
ALTER TABLE "scheduled_messages" ALTER COLUMN "event_type" TYPE TEXT COLLATE "C";
ALTER TABLE "dead_letters" ALTER COLUMN "event_type" TYPE TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "bulk_replays" ADD COLUMN "message_id" TEXT COLLATE "C",
ADD COLUMN "kind" TEXT,
ADD COLUMN "reason" TEXT;

-- The indexes of lists that have successors below; without them the next statement has less to keep up.
-- DropIndex
DROP INDEX "deliveries_environment_id_id_idx";

-- DropIndex
DROP INDEX "deliveries_environment_id_status_id_idx";

-- DropIndex
DROP INDEX "deliveries_subscription_id_id_idx";

-- Filled in for deliveries that are there: without it a list by event type would leave them out. A process of the release before
-- goes on to publish without it.
-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN "event_type" TEXT COLLATE "C";
UPDATE "deliveries" AS d SET "event_type" = m."event_type" FROM "messages" AS m WHERE m."id" = d."message_id";

-- CreateIndex
CREATE INDEX "deliveries_undelivered" ON "deliveries"("environment_id", "status", "id") WHERE (status <> 'delivered');

-- CreateIndex
CREATE INDEX "deliveries_environment_id_id_status_idx" ON "deliveries"("environment_id", "id", "status");

-- CreateIndex
CREATE INDEX "deliveries_subscription_id_id_status_idx" ON "deliveries"("subscription_id", "id", "status");

-- CreateIndex
CREATE INDEX "deliveries_subscription_id_event_type_id_status_idx" ON "deliveries"("subscription_id", "event_type", "id", "status");

-- CreateIndex
CREATE INDEX "deliveries_missed" ON "deliveries"("subscription_id", "status", "id") WHERE (status <> 'delivered' AND status <> 'pending');

-- CreateIndex
CREATE INDEX "messages_channel_id_event_type_id_idx" ON "messages"("channel_id", "event_type", "id");

-- CreateIndex
CREATE INDEX "scheduled_messages_cancelled_list" ON "scheduled_messages"("channel_id", "id") WHERE (cancelled_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "scheduled_messages_channel_id_event_type_id_idx" ON "scheduled_messages"("channel_id", "event_type", "id");

-- CreateIndex
CREATE INDEX "subscriptions_environment_id_channel_id_id_idx" ON "subscriptions"("environment_id", "channel_id", "id");

-- CreateIndex
CREATE INDEX "dead_letters_environment_id_kind_reason_id_idx" ON "dead_letters"("environment_id", "kind", "reason", "id");

-- CreateIndex
CREATE INDEX "dead_letters_environment_id_event_type_id_idx" ON "dead_letters"("environment_id", "event_type", "id");

-- CreateIndex
CREATE INDEX "dead_letters_channel_id_id_idx" ON "dead_letters"("channel_id", "id");

-- CreateIndex
CREATE INDEX "dead_letters_channel_id_status_id_idx" ON "dead_letters"("channel_id", "status", "id");

-- CreateIndex
CREATE INDEX "dead_letters_subscription_id_status_id_idx" ON "dead_letters"("subscription_id", "status", "id");

-- CreateIndex
CREATE INDEX "dead_letters_message_id_id_idx" ON "dead_letters"("message_id", "id");

-- CreateIndex
CREATE INDEX "bulk_replays_environment_id_status_id_idx" ON "bulk_replays"("environment_id", "status", "id");

-- CreateIndex
CREATE INDEX "message_replays_environment_id_status_id_idx" ON "message_replays"("environment_id", "status", "id");

-- CreateIndex
CREATE INDEX "message_replays_subscription_id_id_idx" ON "message_replays"("subscription_id", "id");

-- The time that an id carries: the ten digits behind the prefix are its milliseconds since 1970. For statements that make an id and
-- need its time: two looks at the clock may fall into two milliseconds.
CREATE FUNCTION posthorn_time(id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_timestamp(sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(id, 4 + n, 1)) - 1)::bigint << (5 * (10 - n))) / 1000.0)
  FROM generate_series(1, 10) AS n
$$;

-- Service events had such a second look: what is listed and filtered by is the time in the id.
UPDATE "messages" AS m SET "published_at" = posthorn_time(m."id") FROM "channels" AS c
WHERE c."id" = m."channel_id" AND c."kind" = 'system' AND m."published_at" <> posthorn_time(m."id");
