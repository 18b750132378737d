-- Single sign-on: who an account is at an identity provider, and sign-ins that are under way there.

-- CreateTable
CREATE TABLE "identities" (
    "issuer" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "single_sign_on_attempts" (
    "hash" BYTEA NOT NULL,
    "session_id" TEXT COLLATE "C",
    "return_to" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "single_sign_on_attempts_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "identities_user_id_issuer_key" ON "identities"("user_id", "issuer");

-- CreateIndex
CREATE INDEX "single_sign_on_attempts_expires_at_idx" ON "single_sign_on_attempts"("expires_at");

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
