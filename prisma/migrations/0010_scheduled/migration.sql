-- Messages that wait for their time, or were cancelled while they did.

-- CreateTable
CREATE TABLE "scheduled_messages" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C" NOT NULL,
    "event_type" TEXT NOT NULL,
    "payload" TEXT,
    "metadata" JSON,
    "deliver_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "traceparent" TEXT,
    "tracestate" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cancelled_at" TIMESTAMPTZ(3),
    "cancel_reason" TEXT,
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "scheduled_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "scheduled_messages_waiting" ON "scheduled_messages"("channel_id", "id") WHERE (cancelled_at IS NULL);

-- CreateIndex
CREATE INDEX "scheduled_messages_cancelled" ON "scheduled_messages"("channel_id", "cancelled_at") WHERE (cancelled_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "scheduled_messages_due" ON "scheduled_messages"("due_at", "channel_id", "id") WHERE (due_at IS NOT NULL);
