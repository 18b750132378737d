-- The request of an attempt, as it was sent. A subscription's URL and headers change after it, so each form that they had is a version of
-- its own, and an attempt carries the number of its version. Credentials in them are masked as they are written: a value that somebody
-- has replaced is nowhere kept.

-- CreateTable
CREATE TABLE "request_versions" (
    "subscription_id" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "url" TEXT NOT NULL,
    "headers" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "request_versions_pkey" PRIMARY KEY ("subscription_id", "version")
);

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "request_version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "attempts" ADD COLUMN "request_version" INTEGER;

-- AddForeignKey
ALTER TABLE "request_versions" ADD CONSTRAINT "request_versions_environment_id_subscription_id_fkey" FOREIGN KEY ("environment_id", "subscription_id") REFERENCES "subscriptions"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A user name and password, every value of the query, and a part of the query without a name. A fragment is not sent.
CREATE FUNCTION posthorn_masked_url(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(split_part(plain, '?', 1), '//[^/]*@', '//***@')
    || CASE WHEN strpos(plain, '?') > 0 THEN '?' || (
      SELECT coalesce(string_agg(CASE WHEN part = '' THEN '' WHEN strpos(part, '=') > 0 THEN split_part(part, '=', 1) || '=***' ELSE '***' END, '&' ORDER BY place), '')
      FROM unnest(string_to_array(substr(plain, strpos(plain, '?') + 1), '&')) WITH ORDINALITY AS q (part, place)
    ) ELSE '' END
  FROM (SELECT split_part(url, '#', 1) AS plain) AS sent
$$;

-- The value of a header whose name speaks of a credential, that begins with a scheme of authentication, or that is long and random.
CREATE FUNCTION posthorn_masked_headers(headers json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT json_object_agg(name, CASE
    WHEN name ~* 'auth|cookie|key|token|secret|passw|pwd|passphrase|credential|session|signature|jwt|hmac|bearer' THEN '***'
    WHEN value ~* '^(basic|bearer|digest|token|apikey|negotiate)[ :=]' THEN '***'
    WHEN value ~ '^[A-Za-z0-9+/_=.~:-]{20,}$' AND value ~ '[0-9]' AND value ~ '[A-Za-z]' THEN '***'
    ELSE value END ORDER BY place)
  FROM json_each_text(headers) WITH ORDINALITY AS h (name, value, place)
$$;

-- Every writer of a subscription passes here, one of an earlier release too. The newest hundred versions stay.
CREATE FUNCTION posthorn_keep_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    NEW.request_version := OLD.request_version + 1;
  END IF;
  INSERT INTO request_versions (subscription_id, version, environment_id, url, headers)
  VALUES (NEW.id, NEW.request_version, NEW.environment_id, posthorn_masked_url(NEW.webhook_url), posthorn_masked_headers(NEW.headers));
  DELETE FROM request_versions WHERE subscription_id = NEW.id AND version <= NEW.request_version - 100;
  RETURN NEW;
END $$;
CREATE TRIGGER subscriptions_keep_first_request AFTER INSERT ON "subscriptions" FOR EACH ROW EXECUTE FUNCTION posthorn_keep_request();
CREATE TRIGGER subscriptions_keep_request BEFORE UPDATE OF webhook_url, headers ON "subscriptions" FOR EACH ROW
  WHEN (NEW.webhook_url <> OLD.webhook_url OR NEW.headers::text IS DISTINCT FROM OLD.headers::text)
  EXECUTE FUNCTION posthorn_keep_request();

INSERT INTO "request_versions" (subscription_id, version, environment_id, url, headers)
SELECT id, request_version, environment_id, posthorn_masked_url(webhook_url), posthorn_masked_headers(headers) FROM "subscriptions";

-- Policy as in 0025_row_security.
ALTER TABLE "request_versions" ENABLE ROW LEVEL SECURITY;
DO $$
BEGIN
  EXECUTE 'CREATE POLICY tenant_all ON "request_versions" FOR ALL USING ((SELECT to_regrole(''posthorn_tenant'') IS NULL OR NOT pg_has_role(current_user, to_regrole(''posthorn_tenant''), ''USAGE''))'
    || ' OR ((SELECT has_table_privilege(session_user, ''encryption_keys''::regclass, ''SELECT'')) AND environment_id = (SELECT current_setting(''posthorn.environment'', true))))';
END $$;
