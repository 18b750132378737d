-- Figures of runs (docs/decisions.md, Figures). The statements that begin or end a run add a row in their own transaction. A worker sums
-- these up into `stat_counts` and removes them. A table of its own: workers of an older release would remove rows of `stat_parts` that
-- they do not know. Its id comes from no sequence, on which a tenant, who cancels runs, would need a right.

-- CreateTable
CREATE TABLE "run_stat_parts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "code" SMALLINT NOT NULL,

    CONSTRAINT "run_stat_parts_pkey" PRIMARY KEY ("id")
);

-- Policies as those of audit_entries in 0025_row_security.
ALTER TABLE "run_stat_parts" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_select ON "run_stat_parts" FOR SELECT USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
CREATE POLICY tenant_insert ON "run_stat_parts" FOR INSERT WITH CHECK ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
