-- An environment's time came from another clock than its system channel's.
UPDATE channels SET updated_at = created_at WHERE updated_at < created_at;

-- Answers to publishes that are kept under an Idempotency-Key, of messages erased since: an erased message has no payload.
-- Only an erasure has rewritten a kept answer, which is then text as PostgreSQL writes it, with a space behind the colon.
UPDATE idempotency_keys SET body = (body::jsonb - 'payload')::text
WHERE body LIKE '{"id": "msg%' AND body::jsonb @> '{"payload": null}';
