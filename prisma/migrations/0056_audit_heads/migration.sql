-- The end of an audit chain only ever goes on by one entry. Without it the chain could lose its newest entries unnoticed, and an end that
-- was taken back lets the next change write over what was there.

CREATE FUNCTION audit_ends_go_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the end of an audit chain only goes on' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_heads_stay BEFORE DELETE OR TRUNCATE ON "audit_heads"
FOR EACH STATEMENT EXECUTE FUNCTION audit_ends_go_on();

CREATE TRIGGER audit_heads_go_on BEFORE UPDATE ON "audit_heads"
FOR EACH ROW WHEN (NEW IS DISTINCT FROM OLD AND (NEW."position" <> OLD."position" + 1 OR NEW."organisation_id" <> OLD."organisation_id"))
EXECUTE FUNCTION audit_ends_go_on();
