-- Workflows: a trigger and steps that their authors write (docs/workflows.md). Each change of trigger or steps is a version of its own,
-- so that a run keeps the one that it began with.

-- CreateTable
CREATE TABLE "workflows" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "version" INTEGER NOT NULL DEFAULT 1,
    "trigger_type" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_versions" (
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "trigger" TEXT,
    "steps" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_versions_pkey" PRIMARY KEY ("workflow_id", "version")
);

-- CreateIndex
CREATE UNIQUE INDEX "workflows_environment_id_id_key" ON "workflows"("environment_id", "id");

-- CreateIndex
CREATE INDEX "workflows_environment_id_id_idx" ON "workflows"("environment_id", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "workflows_active" ON "workflows"("environment_id", "trigger_type") WHERE (status = 'active' AND deleted_at IS NULL);

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_versions" ADD CONSTRAINT "workflow_versions_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Policies as in 0025_row_security.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['workflows', 'workflow_versions'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_all ON %I FOR ALL USING ((SELECT to_regrole(''posthorn_tenant'') IS NULL OR NOT pg_has_role(current_user, to_regrole(''posthorn_tenant''), ''USAGE''))'
      || ' OR ((SELECT has_table_privilege(session_user, ''encryption_keys''::regclass, ''SELECT'')) AND environment_id = (SELECT current_setting(''posthorn.environment'', true))))', name);
  END LOOP;
END $$;
