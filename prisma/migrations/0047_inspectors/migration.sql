-- Inspectors: addresses of this service that show what arrives (docs/inspect.md).

-- CreateTable
CREATE TABLE "inspectors" (
    "id" TEXT COLLATE "C" NOT NULL,
    "position" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "answer_status" INTEGER NOT NULL DEFAULT 200,
    "answer_delay_ms" INTEGER NOT NULL DEFAULT 0,
    "failure_percent" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inspectors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inspected_requests" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "inspector_id" TEXT COLLATE "C" NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "headers" JSON NOT NULL,
    "body" BYTEA NOT NULL,
    "bytes" INTEGER NOT NULL,
    "answer_status" INTEGER NOT NULL,
    "answer_delay_ms" INTEGER NOT NULL,
    "verdict" TEXT NOT NULL,
    "verdict_reason" TEXT,
    "message_id" TEXT COLLATE "C",
    "subscription_id" TEXT COLLATE "C",
    "arrived_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inspected_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "inspectors_position_key" ON "inspectors"("position");

-- CreateIndex
CREATE INDEX "inspectors_environment_id_position_idx" ON "inspectors"("environment_id", "position");

-- CreateIndex
CREATE INDEX "inspected_requests_inspector_id_id_idx" ON "inspected_requests"("inspector_id", "id");

-- CreateIndex
CREATE INDEX "inspected_requests_expires_at_idx" ON "inspected_requests"("expires_at");

-- AddForeignKey
ALTER TABLE "inspectors" ADD CONSTRAINT "inspectors_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inspected_requests" ADD CONSTRAINT "inspected_requests_inspector_id_fkey" FOREIGN KEY ("inspector_id") REFERENCES "inspectors"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Policies as in 0025_row_security.
ALTER TABLE "inspectors" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "inspectors" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
ALTER TABLE "inspected_requests" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "inspected_requests" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
