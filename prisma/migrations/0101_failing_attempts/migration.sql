-- How many attempts of a subscription have failed since `failing_since`, counted to five: one failed attempt is not yet a failing receiver.
-- In no index, so that a change of it is a HOT update.
ALTER TABLE subscriptions ADD COLUMN IF NOT EXISTS failing_attempts smallint DEFAULT 0 NOT NULL;
