-- Claims that begin behind what is known to be finished: what is due is found by time, and what becomes due behind that time is told.

-- What may be claimed, by time, whatever its subscription. The predicate is one that only the look for due rows asks by name:
-- the planner must not take it for a subscription's own rows, or read it from end to end where statistics are old. An operator
-- may have made it before, concurrently (docs/operations.md); where that broke off, it is made anew.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('deliveries_due') AND NOT indisvalid) THEN
    DROP INDEX "deliveries_due";
  END IF;
END $$;
-- CreateIndex
CREATE INDEX IF NOT EXISTS "deliveries_due" ON "deliveries"("due_at", "id") WHERE (num_nulls(due_at) = 0 AND num_nonnulls(holder, carrier) = 0);

-- Workers look for due rows from the present on. A row that can be claimed and was due before that is told of as it is
-- committed, whichever statement made it so: a transaction that took long, a replay, a claim that was given back. Deferred,
-- because only the commit knows how late it is. Up to 0.4 s nothing is told (workers look that far back), so that a plain
-- publish never waits for the lock that NOTIFY takes. The time told is rounded down, the further the older it is: some
-- thousands of rows of one subscription make a few different notifications, and PostgreSQL sends equal ones once.
CREATE FUNCTION posthorn_tell_late() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due CONSTANT float8 := extract(epoch FROM NEW.due_at);
  late CONSTANT float8 := extract(epoch FROM clock_timestamp()) - due;
  step float8;
BEGIN
  IF late > 0.4 THEN
    step := power(2, ceil(log(2, greatest(late, 1)::numeric)));
    PERFORM pg_notify('posthorn_due', concat_ws(' ', CASE WHEN NEW.policy_attempts = 0 THEN 'first' ELSE 'retry' END,
      NEW.subscription_id, (floor(due / step) * step)::bigint));
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER deliveries_tell_late AFTER INSERT OR UPDATE OF due_at, holder, carrier ON "deliveries"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.due_at IS NOT NULL AND NEW.holder IS NULL AND NEW.carrier IS NULL)
  EXECUTE FUNCTION posthorn_tell_late();

-- A subscription that takes tries again has rows of any age: it is resumed, its circuit closed or its next probe brought forward.
CREATE FUNCTION posthorn_tell_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('posthorn_due', 'open ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER subscriptions_tell_open AFTER UPDATE OF status, circuit_probe_at ON "subscriptions" FOR EACH ROW
  WHEN (NEW.status = 'active' AND NEW.deleted_at IS NULL AND (OLD.status <> 'active'
    OR NEW.circuit_probe_at < OLD.circuit_probe_at OR (NEW.circuit_probe_at IS NULL AND OLD.circuit_probe_at IS NOT NULL)))
  EXECUTE FUNCTION posthorn_tell_open();
