-- A connection that its environment shares is used and seen by the other environment of its app, which never changes it.

-- AlterTable
ALTER TABLE "connections" ADD COLUMN "shared" BOOLEAN NOT NULL DEFAULT false;

-- Beside the policy of 0033_connections. The environments are looked for under their own policy.
CREATE POLICY tenant_shared ON "connections" FOR SELECT USING (shared
  AND (SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT'))
  AND EXISTS (SELECT FROM environments owner JOIN environments own ON own.app_id = owner.app_id
    WHERE owner.id = environment_id AND own.id = (SELECT current_setting('posthorn.environment', true))));
