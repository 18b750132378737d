-- Encryption keys are proved at start by a check value; a delivery that waits because of a fault of the service says so.

-- CreateTable
CREATE TABLE "encryption_keys" (
    "id" TEXT COLLATE "C" NOT NULL,
    "check_value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "encryption_keys_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN "held_reason" TEXT,
ADD COLUMN "held_since" TIMESTAMPTZ(3),
ADD COLUMN "held_sent" BOOLEAN,
ADD COLUMN "takeovers" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "status_changed_at" TIMESTAMPTZ(3),
ADD COLUMN "secret_unreadable_since" TIMESTAMPTZ(3);

-- Nothing older says when a subscription was paused or disabled; its last change is the closest time there is.
UPDATE "subscriptions" SET "status_changed_at" = "updated_at" WHERE "status" <> 'active';

-- CreateIndex
CREATE INDEX "deliveries_held" ON "deliveries"("held_reason", "subscription_id") WHERE (held_reason IS NOT NULL AND due_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "idempotency_keys_sealed" ON "idempotency_keys"("expires_at") WHERE (sealed_body IS NOT NULL);
