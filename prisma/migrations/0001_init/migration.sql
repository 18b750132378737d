-- Made by Prisma's diff (src/db/migrate.ts), then completed by hand with what Prisma does not know: COLLATE "C" on everything that
-- holds an id (ids sort as bytes, whatever the database's language), storage settings of deliveries, posthorn_id().

-- CreateTable
CREATE TABLE "organisations" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organisations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "apps" (
    "id" TEXT COLLATE "C" NOT NULL,
    "organisation_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "apps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environments" (
    "id" TEXT COLLATE "C" NOT NULL,
    "app_id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "scopes" TEXT[],
    "hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "requests_per_minute" INTEGER,
    "burst" INTEGER,
    "concurrent" INTEGER,
    "batch_per_minute" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channels" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "schema" JSON,
    "retention_days" INTEGER NOT NULL DEFAULT 30,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C" NOT NULL,
    "event_type" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "metadata" JSON,
    "published_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "webhook_url" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "event_types" TEXT[],
    "max_retries" INTEGER NOT NULL,
    "initial_delay" INTEGER NOT NULL,
    "max_delay" INTEGER NOT NULL,
    "backoff_multiplier" INTEGER NOT NULL,
    "headers" JSON,
    "timeout_ms" INTEGER NOT NULL DEFAULT 15000,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription_secrets" (
    "id" TEXT COLLATE "C" NOT NULL,
    "subscription_id" TEXT COLLATE "C" NOT NULL,
    "ciphertext" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscription_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C" NOT NULL,
    "message_id" TEXT COLLATE "C" NOT NULL,
    "subscription_id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "policy_attempts" INTEGER NOT NULL DEFAULT 0,
    "round" INTEGER NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(3),
    "holder" TEXT COLLATE "C",
    "carrier" TEXT COLLATE "C",
    "max_retries" INTEGER NOT NULL,
    "initial_delay" INTEGER NOT NULL,
    "max_delay" INTEGER NOT NULL,
    "backoff_multiplier" INTEGER NOT NULL,
    "last_attempt_at" TIMESTAMPTZ(3),
    "next_retry_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "response_body" TEXT,
    "response_latency_ms" INTEGER,
    "failure_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "delivery_id" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "error_class" TEXT,
    "error_message" TEXT,
    "response_status" INTEGER,
    "response_headers" JSON,
    "response_body" TEXT,
    "response_latency_ms" INTEGER,
    "carrier" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dead_letters" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'delivery',
    "status" TEXT NOT NULL DEFAULT 'open',
    "channel_id" TEXT COLLATE "C",
    "message_id" TEXT COLLATE "C",
    "subscription_id" TEXT COLLATE "C",
    "delivery_id" TEXT COLLATE "C",
    "round" INTEGER NOT NULL,
    "event_type" TEXT,
    "reason" TEXT NOT NULL,
    "error_class" TEXT,
    "error_message" TEXT,
    "error_status" INTEGER,
    "attempts" INTEGER NOT NULL,
    "failed_at" TIMESTAMPTZ(3) NOT NULL,
    "replayed_at" TIMESTAMPTZ(3),
    "replayed_by" TEXT COLLATE "C",

    CONSTRAINT "dead_letters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bulk_replays" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "channel_id" TEXT COLLATE "C",
    "subscription_id" TEXT COLLATE "C",
    "event_type" TEXT,
    "failed_since" TIMESTAMPTZ(3),
    "failed_until" TIMESTAMPTZ(3) NOT NULL,
    "position" TEXT COLLATE "C",
    "matched" INTEGER NOT NULL,
    "replayed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "requested_by" TEXT COLLATE "C" NOT NULL,
    "carrier" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_replays_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "incarnations" (
    "id" TEXT COLLATE "C" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "incarnations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "apps_organisation_id_slug_key" ON "apps"("organisation_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "environments_app_id_kind_key" ON "environments"("app_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_environment_id_id_idx" ON "api_keys"("environment_id", "id");

-- CreateIndex
CREATE INDEX "channels_environment_id_id_idx" ON "channels"("environment_id", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "messages_channel_id_id_idx" ON "messages"("channel_id", "id");

-- CreateIndex
CREATE INDEX "subscriptions_environment_id_id_idx" ON "subscriptions"("environment_id", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "subscriptions_channel_id_id_idx" ON "subscriptions"("channel_id", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "subscription_secrets_subscription_id_idx" ON "subscription_secrets"("subscription_id");

-- CreateIndex
CREATE INDEX "deliveries_environment_id_id_idx" ON "deliveries"("environment_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_environment_id_status_id_idx" ON "deliveries"("environment_id", "status", "id");

-- CreateIndex
CREATE INDEX "deliveries_subscription_id_id_idx" ON "deliveries"("subscription_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_claimable" ON "deliveries"("subscription_id", "due_at", "id") WHERE (due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL);

-- CreateIndex
CREATE INDEX "deliveries_unfinished" ON "deliveries"("due_at") WHERE (due_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "deliveries_held_by" ON "deliveries"("holder") WHERE (holder IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_message_id_subscription_id_key" ON "deliveries"("message_id", "subscription_id");

-- CreateIndex
CREATE UNIQUE INDEX "attempts_delivery_id_number_key" ON "attempts"("delivery_id", "number");

-- CreateIndex
CREATE INDEX "dead_letters_environment_id_id_idx" ON "dead_letters"("environment_id", "id");

-- CreateIndex
CREATE INDEX "dead_letters_environment_id_status_id_idx" ON "dead_letters"("environment_id", "status", "id");

-- CreateIndex
CREATE INDEX "dead_letters_subscription_id_id_idx" ON "dead_letters"("subscription_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "dead_letters_delivery_id_round_key" ON "dead_letters"("delivery_id", "round");

-- CreateIndex
CREATE INDEX "bulk_replays_environment_id_id_idx" ON "bulk_replays"("environment_id", "id");

-- AddForeignKey
ALTER TABLE "apps" ADD CONSTRAINT "apps_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "apps"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_secrets" ADD CONSTRAINT "subscription_secrets_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscriptions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A delivery is written once and updated two to four times soon after (claimed, carried, recorded). A fifth of each page stays
-- free, so that the new versions lie beside the old ones: the page is in memory already, and dead versions are pruned as it is
-- read. These are not HOT updates: due_at, holder and carrier stand in the indexes' conditions. Vacuum comes after 2 % of changed
-- rows, not 20 %: every poll scans the claimable index, which must not carry a day's finished deliveries.
ALTER TABLE "deliveries" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- An id as src/new-id.ts makes it: the prefix, an underscore and a UUIDv7 as 26 characters of lower-case Crockford base32
-- (src/shared/ids.ts), for statements that make many rows at once. The 12 bits behind the millisecond are its fraction in 1/4096
-- (RFC 9562 section 6.2, method 3), so ids of one statement mostly sort in the order they were made in. 5-bit groups behind the
-- two zero bits: ten of time; version 7 and the first bit of the fraction; ten bits of it; its last bit, the variant (binary 10)
-- and two random bits; twelve random ones. uuid bytes 6 and 8 are not used whole: they carry the version and variant of the source.
CREATE FUNCTION posthorn_id(prefix text) RETURNS text LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE AS $$
DECLARE
  alphabet CONSTANT bytea := '0123456789abcdefghjkmnpqrstvwxyz';
  microseconds CONSTANT bigint := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
  milliseconds CONSTANT bigint := microseconds / 1000;
  fraction CONSTANT int := (microseconds % 1000)::int * 4096 / 1000;
  random CONSTANT bytea := uuid_send(gen_random_uuid());
BEGIN
  RETURN prefix || '_'
    || chr(get_byte(alphabet, ((milliseconds >> 45) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 40) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 35) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 30) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 25) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 20) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 15) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 10) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 5) & 31)::int)) || chr(get_byte(alphabet, (milliseconds & 31)::int))
    || chr(get_byte(alphabet, 14 + (fraction >> 11))) || chr(get_byte(alphabet, (fraction >> 6) & 31))
    || chr(get_byte(alphabet, (fraction >> 1) & 31)) || chr(get_byte(alphabet, ((fraction & 1) << 4) + 8 + (get_byte(random, 8) & 3)))
    || chr(get_byte(alphabet, get_byte(random, 0) & 31)) || chr(get_byte(alphabet, get_byte(random, 1) & 31)) || chr(get_byte(alphabet, get_byte(random, 2) & 31))
    || chr(get_byte(alphabet, get_byte(random, 3) & 31)) || chr(get_byte(alphabet, get_byte(random, 4) & 31)) || chr(get_byte(alphabet, get_byte(random, 5) & 31))
    || chr(get_byte(alphabet, get_byte(random, 9) & 31)) || chr(get_byte(alphabet, get_byte(random, 10) & 31)) || chr(get_byte(alphabet, get_byte(random, 11) & 31))
    || chr(get_byte(alphabet, get_byte(random, 12) & 31)) || chr(get_byte(alphabet, get_byte(random, 13) & 31)) || chr(get_byte(alphabet, get_byte(random, 14) & 31));
END $$;
