-- Replays of stored messages to one subscription: what was asked for and how far it is.

-- CreateTable
CREATE TABLE "message_replays" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "subscription_id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "event_types" TEXT[],
    "only_missing" BOOLEAN NOT NULL,
    "rate_per_second" INTEGER NOT NULL,
    "position" TEXT COLLATE "C",
    "matched" INTEGER NOT NULL DEFAULT 0,
    "replayed" INTEGER NOT NULL DEFAULT 0,
    "requested_by" TEXT COLLATE "C" NOT NULL,
    "carrier" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "message_replays_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "message_replays_environment_id_id_idx" ON "message_replays"("environment_id", "id");

-- CreateIndex
CREATE INDEX "message_replays_unfinished" ON "message_replays"("id") WHERE (finished_at IS NULL);
