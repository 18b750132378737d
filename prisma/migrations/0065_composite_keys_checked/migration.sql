-- Reads the rows that were there before the keys of 0065_composite_keys. Writers do not wait for it.
ALTER TABLE "environments" VALIDATE CONSTRAINT "environments_organisation_id_app_id_fkey";
ALTER TABLE "approvals" VALIDATE CONSTRAINT "approvals_environment_id_workflow_id_fkey";
ALTER TABLE "inbound_refusals" VALIDATE CONSTRAINT "inbound_refusals_environment_id_inbound_webhook_id_fkey";
ALTER TABLE "inspected_requests" VALIDATE CONSTRAINT "inspected_requests_environment_id_inspector_id_fkey";

-- An entry is never removed, so an environment that somebody has removed by hand is named for ever. The key then stays unvalidated: it holds
-- every new entry, and no update fails because of an old one.
DO $$
BEGIN
  ALTER TABLE "audit_entries" VALIDATE CONSTRAINT "audit_entries_organisation_id_environment_id_fkey";
EXCEPTION WHEN foreign_key_violation THEN
  RAISE WARNING 'an old audit entry names an environment that its organisation does not have';
END $$;
