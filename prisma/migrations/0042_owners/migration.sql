-- Whose a subscription is: the publisher's own id of a customer.

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "owner" TEXT COLLATE "C";

-- CreateIndex
CREATE INDEX "subscriptions_of_owner" ON "subscriptions"("environment_id", "owner", "id") WHERE (owner IS NOT NULL AND deleted_at IS NULL);
