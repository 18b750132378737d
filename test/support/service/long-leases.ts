/**
 * Leases of an hour, whose owners the next process takes for those of another machine: the supervisor's word alone can end one within a
 * test. The column rounds its end up to the next ms. `DROP FUNCTION lengthen_lease CASCADE` ends it.
 */
export const LONG_LEASES = `
  CREATE FUNCTION lengthen_lease() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.expires_at > now() + interval '1 second' THEN NEW.expires_at := NEW.expires_at + interval '1 hour'; END IF;
    NEW.machine := NEW.id;
    RETURN NEW;
  END $$;
  CREATE TRIGGER lengthen_lease BEFORE INSERT OR UPDATE ON incarnations FOR EACH ROW EXECUTE FUNCTION lengthen_lease();`;
