-- A test message belongs to one subscription: no replay takes it to another one. Null for every other message.
ALTER TABLE "messages" ADD COLUMN "only_subscription_id" TEXT COLLATE "C";
