-- Doing a thing once: answers kept under an Idempotency-Key, and the ids that publishers give to their messages.

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "id" BYTEA NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "owner" TEXT COLLATE "C",
    "running_until" TIMESTAMPTZ(3),
    "status" INTEGER,
    "headers" JSON,
    "body" TEXT,
    "sealed_body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "publisher_ids" (
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C" NOT NULL,
    "publisher_id" TEXT COLLATE "C" NOT NULL,
    "message_id" TEXT COLLATE "C" NOT NULL,
    "hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "publisher_ids_pkey" PRIMARY KEY ("environment_id","channel_id","publisher_id")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "publisher_ids_expires_at_idx" ON "publisher_ids"("expires_at");
