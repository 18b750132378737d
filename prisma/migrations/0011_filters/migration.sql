-- Which of the messages that a subscription's event types want it gets: a CEL expression; null for all of them.
ALTER TABLE "subscriptions" ADD COLUMN "filter" TEXT;
