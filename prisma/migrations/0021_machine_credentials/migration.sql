-- Machine credentials and their secrets, the keys that sign access tokens, and the proofs that were used (docs/authentication.md).

-- CreateTable
CREATE TABLE "machine_credentials" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "scopes" TEXT[],
    "status" TEXT NOT NULL DEFAULT 'active',
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "requests_per_minute" INTEGER,
    "burst" INTEGER,
    "concurrent" INTEGER,
    "batch_per_minute" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "machine_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_credential_secrets" (
    "id" TEXT COLLATE "C" NOT NULL,
    "machine_credential_id" TEXT COLLATE "C" NOT NULL,
    "ciphertext" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "machine_credential_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
-- `number` is the order of keys, and what several processes agree by: of those that make the next one at once, one succeeds.
CREATE TABLE "token_signing_keys" (
    "number" INTEGER NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "public_key" TEXT NOT NULL,
    "private_key" TEXT NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_signing_keys_pkey" PRIMARY KEY ("number")
);

-- CreateTable
-- Not UNLOGGED: after a crash of PostgreSQL, and on a standby that takes over, a proof that was used must be known.
CREATE TABLE "used_proofs" (
    "id" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_proofs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "machine_credentials_environment_id_id_idx" ON "machine_credentials"("environment_id", "id");

-- CreateIndex
CREATE INDEX "machine_credential_secrets_machine_credential_id_idx" ON "machine_credential_secrets"("machine_credential_id");

-- CreateIndex
CREATE UNIQUE INDEX "token_signing_keys_id_key" ON "token_signing_keys"("id");

-- CreateIndex
CREATE INDEX "used_proofs_expires_at_idx" ON "used_proofs"("expires_at");

-- AddForeignKey
ALTER TABLE "machine_credentials" ADD CONSTRAINT "machine_credentials_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "machine_credential_secrets" ADD CONSTRAINT "machine_credential_secrets_machine_credential_id_fkey" FOREIGN KEY ("machine_credential_id") REFERENCES "machine_credentials"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
