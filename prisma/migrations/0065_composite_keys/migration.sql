-- Composite keys where a row could still name one of another tenant: entries of the audit log, approvals, refusals of inbound webhooks and
-- inspected requests (docs/decisions.md). Unvalidated, so that nobody waits while old rows are read: 0065_composite_keys_checked reads them.

-- An entry names organisation and environment, so an environment has to name its organisation too. Older processes leave the column out,
-- and the trigger fills it.
-- AlterTable
ALTER TABLE "environments" ADD COLUMN IF NOT EXISTS "organisation_id" TEXT COLLATE "C";

CREATE FUNCTION posthorn_environment_organisation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.organisation_id := (SELECT organisation_id FROM apps WHERE id = NEW.app_id);
  RETURN NEW;
END $$;
CREATE TRIGGER environments_name_organisation BEFORE INSERT ON "environments" FOR EACH ROW WHEN (NEW.organisation_id IS NULL)
  EXECUTE FUNCTION posthorn_environment_organisation();

UPDATE "environments" e SET "organisation_id" = a.organisation_id FROM "apps" a WHERE a.id = e.app_id AND e.organisation_id IS NULL;
-- A key of two columns asks nothing of a row where one of them is null.
ALTER TABLE "environments" ADD CONSTRAINT "environments_have_organisations" CHECK ("organisation_id" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "apps_organisation_id_id_key" ON "apps"("organisation_id", "id");
-- CreateIndex
CREATE UNIQUE INDEX "environments_organisation_id_id_key" ON "environments"("organisation_id", "id");
-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_organisation_id_app_id_fkey"
  FOREIGN KEY ("organisation_id", "app_id") REFERENCES "apps"("organisation_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organisation_id_environment_id_fkey"
  FOREIGN KEY ("organisation_id", "environment_id") REFERENCES "environments"("organisation_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- CreateIndex
CREATE INDEX "approvals_environment_id_workflow_id_idx" ON "approvals"("environment_id", "workflow_id");
-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_environment_id_workflow_id_fkey"
  FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

-- CreateIndex
CREATE UNIQUE INDEX "inbound_webhooks_environment_id_id_key" ON "inbound_webhooks"("environment_id", "id");
-- AddForeignKey
ALTER TABLE "inbound_refusals" ADD CONSTRAINT "inbound_refusals_environment_id_inbound_webhook_id_fkey"
  FOREIGN KEY ("environment_id", "inbound_webhook_id") REFERENCES "inbound_webhooks"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;
-- DropForeignKey
ALTER TABLE "inbound_refusals" DROP CONSTRAINT "inbound_refusals_inbound_webhook_id_fkey";

-- CreateIndex
CREATE UNIQUE INDEX "inspectors_environment_id_id_key" ON "inspectors"("environment_id", "id");
-- AddForeignKey
ALTER TABLE "inspected_requests" ADD CONSTRAINT "inspected_requests_environment_id_inspector_id_fkey"
  FOREIGN KEY ("environment_id", "inspector_id") REFERENCES "inspectors"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;
-- DropForeignKey
ALTER TABLE "inspected_requests" DROP CONSTRAINT "inspected_requests_inspector_id_fkey";
