-- Row-level security for the control plane, as a second wall behind the conditions of its queries (docs/security.md, Tenants).
-- Policies bind the role posthorn_tenant, which services take for one transaction (src/db/tenants.ts), and whoever has its rights.
-- Owners of the tables are not asked (ENABLE, not FORCE), and any other role passes: publishing, claiming, recording, reports and dumps
-- stay as they are.
-- The role belongs to all databases of a server. A user of another one who takes it here sees nothing: the user of the session must
-- have rights of its own on a table of this database that are not the role's.
-- `posthorn migrate` makes the role and gives it what these policies name, and nothing else (src/db/tenant-role.ts). A table without
-- a policy is closed to it.
--
-- Each sub-select is evaluated once for a statement. The conditions are no index conditions on purpose: every query has its own
-- tenant condition, and the plans stay those of the engine.

CREATE FUNCTION posthorn_protect(tables text[], commands text[], condition text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
  command text;
  rule text := format('(SELECT to_regrole(''posthorn_tenant'') IS NULL OR NOT pg_has_role(current_user, to_regrole(''posthorn_tenant''), ''USAGE''))'
    || ' OR ((SELECT has_table_privilege(session_user, ''encryption_keys''::regclass, ''SELECT'')) AND (%s))', condition);
BEGIN
  FOREACH name IN ARRAY tables LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    FOREACH command IN ARRAY commands LOOP
      EXECUTE format('CREATE POLICY %I ON %I FOR %s %s', 'tenant_' || lower(command), name, command,
        CASE command WHEN 'INSERT' THEN format('WITH CHECK (%s)', rule) ELSE format('USING (%s)', rule) END);
    END LOOP;
  END LOOP;
END $$;

-- Above the environments: what belongs to one organisation.
SELECT posthorn_protect(ARRAY['organisations'], ARRAY['SELECT', 'UPDATE'],
  $$id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['apps'], ARRAY['SELECT', 'INSERT', 'UPDATE'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['environments'], ARRAY['SELECT', 'INSERT'],
  $$EXISTS (SELECT FROM apps a WHERE a.id = app_id)$$);
SELECT posthorn_protect(ARRAY['members', 'invitations'], ARRAY['SELECT'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['users'], ARRAY['SELECT'], $$EXISTS (SELECT FROM members m WHERE m.user_id = users.id)$$);

-- Rows of one environment.
SELECT posthorn_protect(
  ARRAY['channels', 'subscriptions', 'messages', 'scheduled_messages', 'deliveries', 'dead_letters', 'bulk_replays', 'message_replays',
    'api_keys', 'machine_credentials', 'idempotency_keys', 'publisher_ids'],
  ARRAY['ALL'], $$environment_id = (SELECT current_setting('posthorn.environment', true))$$);

-- Rows that belong to such a row. The parent is looked for under its own policy.
SELECT posthorn_protect(ARRAY['subscription_secrets'], ARRAY['ALL'],
  $$EXISTS (SELECT FROM subscriptions s WHERE s.id = subscription_id)$$);
SELECT posthorn_protect(ARRAY['subscription_concurrency'], ARRAY['SELECT'],
  $$EXISTS (SELECT FROM subscriptions s WHERE s.id = subscription_id)$$);
SELECT posthorn_protect(ARRAY['attempts'], ARRAY['ALL'], $$EXISTS (SELECT FROM deliveries d WHERE d.id = delivery_id)$$);
SELECT posthorn_protect(ARRAY['machine_credential_secrets'], ARRAY['ALL'],
  $$EXISTS (SELECT FROM machine_credentials c WHERE c.id = machine_credential_id)$$);

-- Worker processes are no tenant's. How many requests they allow to a subscription is asked with those that live.
SELECT posthorn_protect(ARRAY['incarnations'], ARRAY['SELECT'], 'true');

-- The audit log of an organisation; within an environment only its own entries. The role adds entries and can never change one.
SELECT posthorn_protect(ARRAY['audit_heads'], ARRAY['SELECT', 'INSERT', 'UPDATE'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['audit_entries'], ARRAY['SELECT', 'INSERT'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))
    AND environment_id IS NOT DISTINCT FROM
      coalesce(nullif((SELECT current_setting('posthorn.environment', true)), ''), environment_id)$$);

DROP FUNCTION posthorn_protect(text[], text[], text);
