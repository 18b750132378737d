-- Tables and columns get the names that the API and the code use for them. Nothing is rewritten: a rename changes the catalogue alone.
-- Row-level security, grants and foreign keys follow their table.
ALTER TABLE marks RENAME TO markers;
ALTER TABLE markers RENAME CONSTRAINT marks_pkey TO markers_pkey;
ALTER TABLE markers RENAME CONSTRAINT marks_environment_id_fkey TO markers_environment_id_fkey;
ALTER INDEX marks_environment_id_id_idx RENAME TO markers_environment_id_id_idx;

ALTER TABLE inspected_requests RENAME COLUMN verdict TO signature_status;
ALTER TABLE inspected_requests RENAME COLUMN verdict_reason TO signature_reason;

ALTER TABLE sign_in_tries RENAME TO sign_in_attempts;
ALTER TABLE sign_in_attempts RENAME CONSTRAINT sign_in_tries_pkey TO sign_in_attempts_pkey;
ALTER INDEX sign_in_tries_ends_at_idx RENAME TO sign_in_attempts_ends_at_idx;

ALTER TABLE heard_messages RENAME TO awaited_messages;
ALTER TABLE awaited_messages RENAME CONSTRAINT heard_messages_pkey TO awaited_messages_pkey;
ALTER INDEX heard_messages_environment_id_message_id_idx RENAME TO awaited_messages_environment_id_message_id_idx;

ALTER TABLE run_gates RENAME TO run_concurrency;
ALTER TABLE run_concurrency RENAME COLUMN is_inside TO is_admitted;
ALTER TABLE run_concurrency RENAME CONSTRAINT run_gates_pkey TO run_concurrency_pkey;
ALTER TABLE run_concurrency RENAME CONSTRAINT run_gates_environment_id_run_id_fkey TO run_concurrency_environment_id_run_id_fkey;
ALTER INDEX run_gates_gate_is_inside_run_id_idx RENAME TO run_concurrency_gate_is_admitted_run_id_idx;
ALTER INDEX run_gates_queued RENAME TO run_concurrency_queued;

ALTER TABLE token_signing_keys RENAME COLUMN signs_from TO active_from;

ALTER TABLE bulk_retries RENAME COLUMN is_complete TO is_exact;
