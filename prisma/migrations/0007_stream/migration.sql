-- Streams read a channel's messages in the order of the transactions that stored them, and the trace of a publish is kept.

-- What is there already gets 0, so that it stands before everything new, in the order of its ids. A constant default rewrites no row;
-- pg_current_xact_id() as the first default would rewrite the whole table under its lock.
-- AlterTable
ALTER TABLE "messages" ADD COLUMN "traceparent" TEXT,
ADD COLUMN "tracestate" TEXT,
ADD COLUMN "transaction_id" xid8 NOT NULL DEFAULT '0';
ALTER TABLE "messages" ALTER COLUMN "transaction_id" SET DEFAULT pg_current_xact_id();

-- CreateIndex
CREATE INDEX "messages_channel_id_transaction_id_id_idx" ON "messages"("channel_id", "transaction_id", "id");
