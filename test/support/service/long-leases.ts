/**
 * Sets leases to an hour, so that the next process takes their owners for those of another machine: within a test only the supervisor's
 * report can end one. The column rounds its end up to the next ms. `DROP FUNCTION lengthen_lease CASCADE` ends it.
 */
export const LONG_LEASES = `
  CREATE FUNCTION lengthen_lease() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.expires_at > now() + interval '1 second' THEN NEW.expires_at := NEW.expires_at + interval '1 hour'; END IF;
    NEW.machine := NEW.id;
    RETURN NEW;
  END $$;
  CREATE TRIGGER lengthen_lease BEFORE INSERT OR UPDATE ON incarnations FOR EACH ROW EXECUTE FUNCTION lengthen_lease();`;
