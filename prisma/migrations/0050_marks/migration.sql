-- Moments that somebody has marked, such as deployments of receivers (docs/api.md).

-- CreateTable
CREATE TABLE "marks" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "made_by" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "marks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "marks_environment_id_id_idx" ON "marks"("environment_id", "id");

-- AddForeignKey
ALTER TABLE "marks" ADD CONSTRAINT "marks_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A policy as in 0025_row_security.
ALTER TABLE "marks" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_all ON "marks" FOR ALL USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
