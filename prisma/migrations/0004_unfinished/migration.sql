-- The index of everything unfinished is for the reconciler alone. Its old predicate was implied by the guard of every
-- statement that records a try, and with statistics of a calm moment PostgreSQL took it for empty: in a burst each group
-- of 100 results then read all that was unfinished (docs/decisions.md).
DROP INDEX "deliveries_unfinished";
CREATE INDEX "deliveries_unfinished" ON "deliveries"("due_at") WHERE (num_nulls(due_at) = 0);
