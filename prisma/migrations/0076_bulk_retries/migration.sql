-- Retries of all deliveries that a filter matches (docs/api.md).

-- CreateTable
CREATE TABLE "bulk_retries" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "filter" JSONB NOT NULL,
    "rate_per_second" INTEGER,
    "position" TEXT COLLATE "C",
    "next_batch_at" TIMESTAMPTZ(3),
    "matched" INTEGER NOT NULL,
    "is_complete" BOOLEAN NOT NULL,
    "retried" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "requested_by" TEXT COLLATE "C" NOT NULL,
    "carrier" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_retries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "bulk_retries_environment_id_id_idx" ON "bulk_retries"("environment_id", "id");

-- CreateIndex
CREATE INDEX "bulk_retries_environment_id_status_id_idx" ON "bulk_retries"("environment_id", "status", "id");

-- CreateIndex
CREATE INDEX "bulk_retries_unfinished" ON "bulk_retries"("id") WHERE (finished_at IS NULL);

-- AddForeignKey
ALTER TABLE "bulk_retries" ADD CONSTRAINT "bulk_retries_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A policy as in 0025_row_security.
ALTER TABLE "bulk_retries" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "bulk_retries" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
