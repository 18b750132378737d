-- Erasure: the record that a message existed stays, its payload does not. Retention: deleted channels and subscriptions, whose
-- rows go last, are found without a look at the living ones.

-- AlterTable
ALTER TABLE "messages" ADD COLUMN "erased_at" TIMESTAMPTZ(3),
ALTER COLUMN "payload" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "channels_deleted" ON "channels"("id") WHERE (deleted_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "subscriptions_deleted" ON "subscriptions"("channel_id", "id") WHERE (deleted_at IS NOT NULL);
