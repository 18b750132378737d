-- Connections by OAuth 2.0 (docs/connectors.md). Tokens are sealed with the credentials, in `ciphertext`.

-- AlterTable
ALTER TABLE "connections" ADD COLUMN "status" TEXT NOT NULL DEFAULT 'ready',
ADD COLUMN "state_hash" BYTEA,
ADD COLUMN "renewing_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "connections_state_hash_key" ON "connections"("state_hash");
