-- The whole schema as of release 0.9.0 (docs/upgrading.md). Later migrations are added beside it and never changed.
-- prisma/schema.prisma says what the columns mean; tests compare both. By hand stands here what Prisma does not know: COLLATE "C" on
-- everything that holds an id (ids sort as bytes, whatever the database's language), storage settings, functions, triggers and policies.

-- An id as src/new-id.ts makes it: the prefix, an underscore and a UUIDv7 as 26 characters of lower-case Crockford base32
-- (src/kernel/values/ids.ts), for statements that make many rows at once. The 12 bits behind the millisecond are its fraction in 1/4096
-- (RFC 9562 section 6.2, method 3), so ids of one statement mostly sort in the order they were made in. 5-bit groups behind the
-- two zero bits: ten of time; version 7 and the first bit of the fraction; ten bits of it; its last bit, the variant (binary 10)
-- and two random bits; twelve random ones. uuid bytes 6 and 8 are not used whole: they carry the version and variant of the source.
CREATE FUNCTION posthorn_id(prefix text) RETURNS text LANGUAGE plpgsql STRICT PARALLEL SAFE AS $$
DECLARE
  alphabet CONSTANT bytea := '0123456789abcdefghjkmnpqrstvwxyz';
  microseconds CONSTANT bigint := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
  milliseconds CONSTANT bigint := microseconds / 1000;
  fraction CONSTANT int := (microseconds % 1000)::int * 4096 / 1000;
  random CONSTANT bytea := uuid_send(gen_random_uuid());
BEGIN
  RETURN prefix || '_'
    || chr(get_byte(alphabet, ((milliseconds >> 45) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 40) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 35) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 30) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 25) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 20) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 15) & 31)::int)) || chr(get_byte(alphabet, ((milliseconds >> 10) & 31)::int))
    || chr(get_byte(alphabet, ((milliseconds >> 5) & 31)::int)) || chr(get_byte(alphabet, (milliseconds & 31)::int))
    || chr(get_byte(alphabet, 14 + (fraction >> 11))) || chr(get_byte(alphabet, (fraction >> 6) & 31))
    || chr(get_byte(alphabet, (fraction >> 1) & 31)) || chr(get_byte(alphabet, ((fraction & 1) << 4) + 8 + (get_byte(random, 8) & 3)))
    || chr(get_byte(alphabet, get_byte(random, 0) & 31)) || chr(get_byte(alphabet, get_byte(random, 1) & 31)) || chr(get_byte(alphabet, get_byte(random, 2) & 31))
    || chr(get_byte(alphabet, get_byte(random, 3) & 31)) || chr(get_byte(alphabet, get_byte(random, 4) & 31)) || chr(get_byte(alphabet, get_byte(random, 5) & 31))
    || chr(get_byte(alphabet, get_byte(random, 9) & 31)) || chr(get_byte(alphabet, get_byte(random, 10) & 31)) || chr(get_byte(alphabet, get_byte(random, 11) & 31))
    || chr(get_byte(alphabet, get_byte(random, 12) & 31)) || chr(get_byte(alphabet, get_byte(random, 13) & 31)) || chr(get_byte(alphabet, get_byte(random, 14) & 31));
END $$;

-- The time that an id carries: the ten digits behind the prefix are its milliseconds since 1970. For statements that make an id and
-- need its time: two looks at the clock may fall into two milliseconds.
CREATE FUNCTION posthorn_time(id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_timestamp(sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(id, 4 + n, 1)) - 1)::bigint << (5 * (10 - n))) / 1000.0)
  FROM generate_series(1, 10) AS n
$$;

CREATE TABLE organisations (
  id text NOT NULL COLLATE "C",
  name text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT organisations_pkey PRIMARY KEY (id)
);

CREATE TABLE apps (
  id text NOT NULL COLLATE "C",
  organisation_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  status text DEFAULT 'active' NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  settings jsonb DEFAULT '{}' NOT NULL,
  suspended_at timestamptz(3),
  CONSTRAINT apps_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX apps_organisation_id_id_key ON apps (organisation_id, id);
CREATE UNIQUE INDEX apps_organisation_id_slug_key ON apps (organisation_id, slug);

-- `organisation_id` is the app's, by a trigger: rows that name an organisation and an environment have a key to both.
CREATE TABLE environments (
  id text NOT NULL COLLATE "C",
  app_id text NOT NULL COLLATE "C",
  kind text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  organisation_id text COLLATE "C",
  CONSTRAINT environments_have_organisations CHECK (organisation_id IS NOT NULL),
  CONSTRAINT environments_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX environments_app_id_kind_key ON environments (app_id, kind);
CREATE UNIQUE INDEX environments_organisation_id_id_key ON environments (organisation_id, id);

CREATE TABLE api_keys (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  tier text NOT NULL,
  scopes text[],
  hash bytea NOT NULL,
  prefix text NOT NULL,
  last4 text NOT NULL,
  status text DEFAULT 'active' NOT NULL,
  requests_per_minute integer,
  burst integer,
  concurrent integer,
  batch_per_minute integer,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  previous_hash bytea,
  previous_expires_at timestamptz(3),
  last_used_address text COLLATE "C",
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX api_keys_environment_id_id_idx ON api_keys (environment_id, id);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE UNIQUE INDEX api_keys_previous_hash_key ON api_keys (previous_hash);

CREATE TABLE machine_credentials (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  tier text NOT NULL,
  scopes text[],
  status text DEFAULT 'active' NOT NULL,
  epoch integer DEFAULT 1 NOT NULL,
  requests_per_minute integer,
  burst integer,
  concurrent integer,
  batch_per_minute integer,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_address text COLLATE "C",
  CONSTRAINT machine_credentials_pkey PRIMARY KEY (id)
);
CREATE INDEX machine_credentials_environment_id_id_idx ON machine_credentials (environment_id, id);

CREATE TABLE machine_credential_secrets (
  id text NOT NULL COLLATE "C",
  machine_credential_id text NOT NULL COLLATE "C",
  ciphertext text NOT NULL,
  last4 text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT machine_credential_secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX machine_credential_secrets_machine_credential_id_idx ON machine_credential_secrets (machine_credential_id);

CREATE TABLE token_signing_keys (
  number integer NOT NULL,
  id text NOT NULL COLLATE "C",
  public_key text NOT NULL,
  private_key text NOT NULL,
  signs_from timestamptz(3) NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT token_signing_keys_pkey PRIMARY KEY (number)
);
CREATE UNIQUE INDEX token_signing_keys_id_key ON token_signing_keys (id);

-- Not UNLOGGED: after a crash of PostgreSQL, and on a standby that takes over, a proof that was used must be known.
CREATE TABLE used_proofs (
  id bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT used_proofs_pkey PRIMARY KEY (id)
);
CREATE INDEX used_proofs_expires_at_idx ON used_proofs (expires_at);

CREATE TABLE channels (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  description text,
  status text DEFAULT 'active' NOT NULL,
  schema json,
  retention_days integer DEFAULT 30 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  kind text DEFAULT 'user' NOT NULL,
  config_version integer DEFAULT 1 NOT NULL,
  schema_mode text DEFAULT 'enforce' NOT NULL,
  schemas json,
  app_suspended_at timestamptz(3),
  CONSTRAINT channels_pkey PRIMARY KEY (id)
);
CREATE INDEX channels_deleted ON channels (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX channels_environment_id_id_idx ON channels (environment_id, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX channels_environment_id_id_key ON channels (environment_id, id);

CREATE TABLE workflows (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  description text,
  status text DEFAULT 'draft' NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  trigger_type text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  CONSTRAINT workflows_pkey PRIMARY KEY (id)
);
CREATE INDEX workflows_active ON workflows (environment_id, trigger_type) WHERE status = 'active' AND deleted_at IS NULL;
CREATE INDEX workflows_environment_id_id_idx ON workflows (environment_id, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX workflows_environment_id_id_key ON workflows (environment_id, id);

CREATE TABLE secrets (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  ciphertext text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  CONSTRAINT secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX secrets_environment_id_id_idx ON secrets (environment_id, id);
CREATE UNIQUE INDEX secrets_environment_id_name_key ON secrets (environment_id, name);

CREATE TABLE connections (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  connector text NOT NULL,
  name text NOT NULL,
  ciphertext text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  status text DEFAULT 'ready' NOT NULL,
  state_hash bytea,
  renewing_until timestamptz(3),
  shared boolean DEFAULT false NOT NULL,
  last_tested_at timestamptz(3),
  last_test_ok boolean,
  last_test_message text COLLATE "C",
  CONSTRAINT connections_pkey PRIMARY KEY (id)
);
CREATE INDEX connections_environment_id_id_idx ON connections (environment_id, id);
CREATE UNIQUE INDEX connections_state_hash_key ON connections (state_hash);

CREATE TABLE workflow_versions (
  workflow_id text NOT NULL COLLATE "C",
  version integer NOT NULL,
  environment_id text NOT NULL COLLATE "C",
  trigger text,
  steps text,
  created_at timestamptz(3) NOT NULL,
  listens jsonb,
  made_by text COLLATE "C",
  CONSTRAINT workflow_versions_pkey PRIMARY KEY (workflow_id, version)
);
CREATE INDEX workflow_versions_listening ON workflow_versions (environment_id) WHERE listens IS NOT NULL;

-- Temporal has the schedules themselves; a row here says that one of them is to be looked at again, and so is their outbox.
CREATE TABLE workflow_schedules (
  workflow_id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  revision integer DEFAULT 1 NOT NULL,
  synced integer DEFAULT 0 NOT NULL,
  problem text,
  top_up_at timestamptz(3) DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  CONSTRAINT workflow_schedules_pkey PRIMARY KEY (workflow_id)
);
CREATE INDEX workflow_schedules_due ON workflow_schedules (workflow_id) WHERE synced < revision;
CREATE INDEX workflow_schedules_top_up ON workflow_schedules (top_up_at) WHERE top_up_at IS NOT NULL;

-- A run is the record of what a Temporal workflow carries, and before that its own outbox: a row with `due_at` waits for a worker. No
-- foreign key leads to messages, which retention removes before the runs they began.
CREATE TABLE runs (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  workflow_id text NOT NULL COLLATE "C",
  version integer NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  trigger_type text NOT NULL,
  message_id text COLLATE "C",
  channel_id text COLLATE "C",
  input text,
  parent_run_id text COLLATE "C",
  parent_step text,
  chain_depth smallint DEFAULT 0 NOT NULL,
  round integer DEFAULT 1 NOT NULL,
  due_at timestamptz(3),
  holder text COLLATE "C",
  carrier text COLLATE "C",
  looked_at timestamptz(3),
  executions integer DEFAULT 0 NOT NULL,
  output_bytes integer DEFAULT 0 NOT NULL,
  error_code text,
  error_message text,
  error_step text,
  reason text,
  output text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  scheduled_at timestamptz(3),
  restarts integer DEFAULT 0 NOT NULL,
  filtered_by text,
  replay_id text COLLATE "C",
  without_letter boolean DEFAULT false NOT NULL,
  CONSTRAINT runs_pkey PRIMARY KEY (id)
);
CREATE INDEX runs_carried ON runs (looked_at) WHERE carrier IS NOT NULL AND finished_at IS NULL;
-- One run for each step, however often its beginning is repeated.
CREATE UNIQUE INDEX runs_children ON runs (parent_run_id, parent_step) WHERE parent_step IS NOT NULL;
CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX runs_environment_id_id_key ON runs (environment_id, id);
CREATE INDEX runs_environment_id_status_id_idx ON runs (environment_id, status, id);
CREATE INDEX runs_held ON runs (holder) WHERE holder IS NOT NULL;
-- Holds a message to one run of each workflow, and tells retention of the runs of a message.
CREATE UNIQUE INDEX runs_of_message ON runs (message_id, workflow_id) WHERE message_id IS NOT NULL;
CREATE INDEX runs_pending ON runs (workflow_id, due_at) WHERE status = 'pending' AND due_at IS NOT NULL;
CREATE INDEX runs_replayed ON runs (environment_id, replay_id, status, id) WHERE replay_id IS NOT NULL;
CREATE UNIQUE INDEX runs_scheduled ON runs (workflow_id, scheduled_at) WHERE scheduled_at IS NOT NULL;
CREATE INDEX runs_workflow_id_id_idx ON runs (workflow_id, id);

CREATE TABLE run_steps (
  run_id text NOT NULL COLLATE "C",
  step_id text NOT NULL COLLATE "C",
  iteration text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  number integer NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  input text,
  output text,
  assigned text,
  error_code text,
  error_message text,
  attempts integer DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  crashes integer DEFAULT 0 NOT NULL,
  way text,
  until timestamptz(3),
  started_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  CONSTRAINT run_steps_pkey PRIMARY KEY (run_id, step_id, iteration)
);

-- How many runs a trigger begins: `dedupe` remembers the run of a key, `concurrency` (run_gates) lets so many runs of a key be under way.
-- Each key has a run for each time in which it was taken, and the times are those at which runs were made. So neither a worker that
-- comes late nor a run that waits for its turn is held against the hour at which it is asked.
CREATE TABLE run_key_spans (
  workflow_id text NOT NULL COLLATE "C",
  key text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  run_id text NOT NULL COLLATE "C",
  until timestamptz(3) NOT NULL,
  until_id text NOT NULL COLLATE "C",
  CONSTRAINT run_key_spans_pkey PRIMARY KEY (workflow_id, key, run_id)
);
CREATE INDEX run_key_spans_until_idx ON run_key_spans (until);

CREATE TABLE run_keys (
  workflow_id text NOT NULL COLLATE "C",
  key text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  run_id text NOT NULL COLLATE "C",
  until timestamptz(3) NOT NULL,
  CONSTRAINT run_keys_pkey PRIMARY KEY (workflow_id, key)
);
CREATE INDEX run_keys_until_idx ON run_keys (until);

CREATE TABLE run_gates (
  run_id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  gate text NOT NULL COLLATE "C",
  is_inside boolean NOT NULL,
  CONSTRAINT run_gates_pkey PRIMARY KEY (run_id)
);
CREATE INDEX run_gates_gate_is_inside_run_id_idx ON run_gates (gate, is_inside, run_id);
CREATE INDEX run_gates_queued ON run_gates (gate) WHERE NOT is_inside;

CREATE TABLE run_waits (
  run_id text NOT NULL COLLATE "C",
  step_id text NOT NULL COLLATE "C",
  iteration text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  place text COLLATE "C",
  key text COLLATE "C",
  since timestamptz(3),
  message_id text COLLATE "C",
  due_at timestamptz(3),
  CONSTRAINT run_waits_pkey PRIMARY KEY (run_id, step_id, iteration)
);
CREATE INDEX run_waits_due ON run_waits (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX run_waits_open ON run_waits (environment_id, place, key) WHERE place IS NOT NULL AND message_id IS NULL;
-- A message ends one wait of a run at most.
CREATE UNIQUE INDEX run_waits_taken ON run_waits (run_id, message_id) WHERE message_id IS NOT NULL;

CREATE TABLE approvals (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  workflow_id text NOT NULL COLLATE "C",
  run_id text NOT NULL COLLATE "C",
  step_id text NOT NULL COLLATE "C",
  iteration text NOT NULL COLLATE "C",
  status text DEFAULT 'open' NOT NULL,
  title text NOT NULL,
  message text,
  approvers text[] NOT NULL,
  form text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  decided_by text,
  decided_at timestamptz(3),
  comment text,
  data text,
  CONSTRAINT approvals_pkey PRIMARY KEY (id)
);
CREATE INDEX approvals_environment_id_id_idx ON approvals (environment_id, id);
CREATE INDEX approvals_environment_id_status_id_idx ON approvals (environment_id, status, id);
CREATE INDEX approvals_environment_id_workflow_id_idx ON approvals (environment_id, workflow_id);
CREATE UNIQUE INDEX approvals_open ON approvals (run_id, step_id, iteration) WHERE status = 'open';
CREATE INDEX approvals_run_id_id_idx ON approvals (run_id, id);

-- Messages that a step may wait for, noted by the transaction that stores them. The wait is registered before the messages of the run's
-- time are looked through, and the note is there before the message can be seen: so one of the two finds the other.
CREATE TABLE heard_messages (
  message_id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  CONSTRAINT heard_messages_pkey PRIMARY KEY (message_id)
);
CREATE INDEX heard_messages_environment_id_message_id_idx ON heard_messages (environment_id, message_id);

CREATE TABLE messages (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  channel_id text NOT NULL COLLATE "C",
  event_type text NOT NULL COLLATE "C",
  payload text,
  metadata json,
  published_at timestamptz(3) NOT NULL,
  traceparent text,
  tracestate text,
  transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL,
  erased_at timestamptz(3),
  only_subscription_id text COLLATE "C",
  hops smallint,
  chain_depth smallint,
  CONSTRAINT messages_pkey PRIMARY KEY (id)
);
CREATE INDEX messages_channel_id_event_type_id_idx ON messages (channel_id, event_type, id);
CREATE INDEX messages_channel_id_id_idx ON messages (channel_id, id);
CREATE INDEX messages_channel_id_transaction_id_id_idx ON messages (channel_id, transaction_id, id);

CREATE TABLE scheduled_messages (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  channel_id text NOT NULL COLLATE "C",
  event_type text NOT NULL COLLATE "C",
  payload text,
  metadata json,
  deliver_at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  traceparent text,
  tracestate text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  cancelled_at timestamptz(3),
  cancel_reason text,
  erased_at timestamptz(3),
  hops smallint,
  CONSTRAINT scheduled_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX scheduled_messages_cancelled ON scheduled_messages (channel_id, cancelled_at) WHERE cancelled_at IS NOT NULL;
CREATE INDEX scheduled_messages_cancelled_list ON scheduled_messages (channel_id, id) WHERE cancelled_at IS NOT NULL;
CREATE INDEX scheduled_messages_channel_id_event_type_id_idx ON scheduled_messages (channel_id, event_type, id);
CREATE INDEX scheduled_messages_due ON scheduled_messages (due_at, channel_id, id) WHERE due_at IS NOT NULL;
CREATE INDEX scheduled_messages_waiting ON scheduled_messages (channel_id, id) WHERE cancelled_at IS NULL;

CREATE TABLE subscriptions (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  channel_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  webhook_url text NOT NULL,
  status text DEFAULT 'active' NOT NULL,
  event_types text[],
  max_retries integer NOT NULL,
  initial_delay integer NOT NULL,
  max_delay integer NOT NULL,
  backoff_multiplier integer NOT NULL,
  headers json,
  timeout_ms integer DEFAULT 15000 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  circuit_opened_at timestamptz(3),
  circuit_probe_at timestamptz(3),
  failing_since timestamptz(3),
  max_concurrency integer,
  rate_limit integer,
  backlog_high_since timestamptz(3),
  resumed_at timestamptz(3),
  filter text,
  status_changed_at timestamptz(3),
  secret_unreadable_since timestamptz(3),
  circuit_breaker boolean DEFAULT true NOT NULL,
  circuit_probe_failed_at timestamptz(3),
  circuit_settled_at timestamptz(3),
  next_last_chance_at timestamptz(3),
  filter_units integer,
  app_suspended_at timestamptz(3),
  owner text COLLATE "C",
  request_version integer DEFAULT 1 NOT NULL,
  max_retry_after integer DEFAULT 86400000 NOT NULL,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (id)
);
CREATE INDEX subscriptions_channel_id_id_idx ON subscriptions (channel_id, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_deleted ON subscriptions (channel_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX subscriptions_environment_id_channel_id_id_idx ON subscriptions (environment_id, channel_id, id);
CREATE INDEX subscriptions_environment_id_id_idx ON subscriptions (environment_id, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX subscriptions_environment_id_id_key ON subscriptions (environment_id, id);
CREATE INDEX subscriptions_of_owner ON subscriptions (environment_id, owner, id) WHERE owner IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX subscriptions_probes_failed ON subscriptions (id) WHERE circuit_probe_failed_at IS NOT NULL;

CREATE TABLE subscription_secrets (
  id text NOT NULL COLLATE "C",
  subscription_id text NOT NULL COLLATE "C",
  ciphertext text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  CONSTRAINT subscription_secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX subscription_secrets_subscription_id_idx ON subscription_secrets (subscription_id);

-- A delivery is written once and updated two to four times soon after (claimed, carried, recorded). A fifth of each page stays
-- free, so that the new versions lie beside the old ones: the page is in memory already, and dead versions are pruned as it is
-- read. These are not HOT updates: due_at, holder and carrier stand in the indexes' conditions. Vacuum comes after 2 % of changed
-- rows, not 20 %: every poll scans the claimable index, which must not carry a day's finished deliveries.
CREATE TABLE deliveries (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  channel_id text NOT NULL COLLATE "C",
  message_id text NOT NULL COLLATE "C",
  subscription_id text NOT NULL COLLATE "C",
  status text DEFAULT 'pending' NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  policy_attempts integer DEFAULT 0 NOT NULL,
  round integer DEFAULT 1 NOT NULL,
  due_at timestamptz(3),
  holder text COLLATE "C",
  carrier text COLLATE "C",
  max_retries integer NOT NULL,
  initial_delay integer NOT NULL,
  max_delay integer NOT NULL,
  backoff_multiplier integer NOT NULL,
  last_attempt_at timestamptz(3),
  next_retry_at timestamptz(3),
  response_status integer,
  response_body text,
  response_latency_ms integer,
  failure_reason text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  policy_started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  held_reason text,
  held_since timestamptz(3),
  held_sent boolean,
  takeovers smallint DEFAULT 0 NOT NULL,
  last_chance_until timestamptz(3),
  event_type text COLLATE "C",
  replay_id text COLLATE "C",
  CONSTRAINT deliveries_pkey PRIMARY KEY (id)
) WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');
CREATE INDEX deliveries_carried ON deliveries (subscription_id) WHERE carrier IS NOT NULL AND due_at IS NOT NULL;
-- What may be claimed, by time, whatever its subscription. The predicate is one that only the look for due rows asks by name: the
-- planner must not take it for a subscription's own rows, or read it from end to end where statistics are old.
CREATE INDEX deliveries_due ON deliveries (due_at, id) WHERE num_nulls(due_at) = 0 AND num_nonnulls(holder, carrier) = 0;
CREATE INDEX deliveries_environment_id_id_status_idx ON deliveries (environment_id, id, status);
CREATE INDEX deliveries_first_tries ON deliveries (subscription_id, due_at, id) WHERE due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts = 0;
CREATE INDEX deliveries_held ON deliveries (held_reason, subscription_id) WHERE held_reason IS NOT NULL AND due_at IS NOT NULL;
CREATE INDEX deliveries_held_by ON deliveries (holder) WHERE holder IS NOT NULL;
CREATE INDEX deliveries_last_chances ON deliveries (subscription_id, last_chance_until, id) WHERE last_chance_until IS NOT NULL AND due_at IS NOT NULL AND policy_attempts = 0;
CREATE UNIQUE INDEX deliveries_message_id_subscription_id_key ON deliveries (message_id, subscription_id);
CREATE INDEX deliveries_missed ON deliveries (subscription_id, status, id) WHERE status <> 'delivered' AND status <> 'pending';
CREATE INDEX deliveries_replayed ON deliveries (environment_id, replay_id, status, id) WHERE replay_id IS NOT NULL;
CREATE INDEX deliveries_retries ON deliveries (subscription_id, due_at, id) WHERE due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts > 0;
-- Slow answers are found without a look at the others. A delivery that is answered within a second has no entry.
CREATE INDEX deliveries_slow ON deliveries (environment_id, id) WHERE response_latency_ms >= 1000;
CREATE INDEX deliveries_subscription_id_event_type_id_status_idx ON deliveries (subscription_id, event_type, id, status);
CREATE INDEX deliveries_subscription_id_id_status_idx ON deliveries (subscription_id, id, status);
CREATE INDEX deliveries_undelivered ON deliveries (environment_id, status, id) WHERE status <> 'delivered';
-- For the reconciler alone. A predicate that the guard of each recording statement implies would be taken for empty by PostgreSQL
-- with statistics of a calm moment: in a burst each group of 100 results then read all that was unfinished (docs/decisions.md).
CREATE INDEX deliveries_unfinished ON deliveries (due_at) WHERE num_nulls(due_at) = 0;

CREATE TABLE attempts (
  id text NOT NULL COLLATE "C",
  delivery_id text NOT NULL COLLATE "C",
  number integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  outcome text NOT NULL,
  error_class text,
  error_message text,
  response_status integer,
  response_headers json,
  response_body text,
  response_latency_ms integer,
  carrier text NOT NULL COLLATE "C",
  request_version integer,
  CONSTRAINT attempts_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX attempts_delivery_id_number_key ON attempts (delivery_id, number);

CREATE TABLE dead_letters (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  kind text DEFAULT 'delivery' NOT NULL,
  status text DEFAULT 'open' NOT NULL,
  channel_id text COLLATE "C",
  message_id text COLLATE "C",
  subscription_id text COLLATE "C",
  delivery_id text COLLATE "C",
  round integer NOT NULL,
  event_type text COLLATE "C",
  reason text NOT NULL,
  error_class text,
  error_message text,
  error_status integer,
  attempts integer NOT NULL,
  failed_at timestamptz(3) NOT NULL,
  replayed_at timestamptz(3),
  replayed_by text COLLATE "C",
  workflow_id text COLLATE "C",
  run_id text COLLATE "C",
  step_id text COLLATE "C",
  iteration text COLLATE "C",
  error_code text,
  CONSTRAINT dead_letters_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_letters_channel_id_id_idx ON dead_letters (channel_id, id);
CREATE INDEX dead_letters_channel_id_status_id_idx ON dead_letters (channel_id, status, id);
CREATE UNIQUE INDEX dead_letters_delivery_id_round_key ON dead_letters (delivery_id, round);
CREATE INDEX dead_letters_environment_id_event_type_id_idx ON dead_letters (environment_id, event_type, id);
CREATE INDEX dead_letters_environment_id_id_idx ON dead_letters (environment_id, id);
CREATE INDEX dead_letters_environment_id_kind_reason_id_idx ON dead_letters (environment_id, kind, reason, id);
CREATE INDEX dead_letters_environment_id_status_id_idx ON dead_letters (environment_id, status, id);
CREATE INDEX dead_letters_error_class ON dead_letters (environment_id, error_class, status, id) WHERE error_class IS NOT NULL;
CREATE INDEX dead_letters_error_status ON dead_letters (environment_id, error_status, status, id) WHERE error_status IS NOT NULL;
CREATE INDEX dead_letters_message_id_id_idx ON dead_letters (message_id, id);
CREATE UNIQUE INDEX dead_letters_run ON dead_letters (run_id, round) WHERE run_id IS NOT NULL;
CREATE INDEX dead_letters_subscription_id_id_idx ON dead_letters (subscription_id, id);
CREATE INDEX dead_letters_subscription_id_status_id_idx ON dead_letters (subscription_id, status, id);
CREATE INDEX dead_letters_workflow ON dead_letters (workflow_id, id) WHERE workflow_id IS NOT NULL;
CREATE INDEX dead_letters_workflow_status ON dead_letters (workflow_id, status, id) WHERE workflow_id IS NOT NULL;

CREATE TABLE bulk_replays (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  status text DEFAULT 'pending' NOT NULL,
  channel_id text COLLATE "C",
  subscription_id text COLLATE "C",
  event_type text,
  failed_since timestamptz(3),
  failed_until timestamptz(3) NOT NULL,
  "position" text COLLATE "C",
  matched integer NOT NULL,
  replayed integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  requested_by text NOT NULL COLLATE "C",
  carrier text COLLATE "C",
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at timestamptz(3),
  message_id text COLLATE "C",
  kind text,
  reason text,
  workflow_id text COLLATE "C",
  error_class text,
  error_status integer,
  delivery_since timestamptz(3),
  delivery_until timestamptz(3),
  rate_per_second integer,
  next_batch_at timestamptz(3),
  CONSTRAINT bulk_replays_pkey PRIMARY KEY (id)
);
CREATE INDEX bulk_replays_environment_id_id_idx ON bulk_replays (environment_id, id);
CREATE INDEX bulk_replays_environment_id_status_id_idx ON bulk_replays (environment_id, status, id);

CREATE TABLE bulk_retries (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  status text DEFAULT 'pending' NOT NULL,
  filter jsonb NOT NULL,
  rate_per_second integer,
  "position" text COLLATE "C",
  next_batch_at timestamptz(3),
  matched integer NOT NULL,
  is_complete boolean NOT NULL,
  retried integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  requested_by text NOT NULL COLLATE "C",
  carrier text COLLATE "C",
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at timestamptz(3),
  CONSTRAINT bulk_retries_pkey PRIMARY KEY (id)
);
CREATE INDEX bulk_retries_environment_id_id_idx ON bulk_retries (environment_id, id);
CREATE INDEX bulk_retries_environment_id_status_id_idx ON bulk_retries (environment_id, status, id);
CREATE INDEX bulk_retries_unfinished ON bulk_retries (id) WHERE finished_at IS NULL;

CREATE TABLE message_replays (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  subscription_id text NOT NULL COLLATE "C",
  status text DEFAULT 'pending' NOT NULL,
  since timestamptz(3) NOT NULL,
  until timestamptz(3) NOT NULL,
  event_types text[],
  only_missing boolean NOT NULL,
  rate_per_second integer NOT NULL,
  "position" text COLLATE "C",
  matched integer DEFAULT 0 NOT NULL,
  replayed integer DEFAULT 0 NOT NULL,
  requested_by text NOT NULL COLLATE "C",
  carrier text COLLATE "C",
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at timestamptz(3),
  next_batch_at timestamptz(3),
  CONSTRAINT message_replays_pkey PRIMARY KEY (id)
);
CREATE INDEX message_replays_environment_id_id_idx ON message_replays (environment_id, id);
CREATE INDEX message_replays_environment_id_status_id_idx ON message_replays (environment_id, status, id);
CREATE INDEX message_replays_subscription_id_id_idx ON message_replays (subscription_id, id);
CREATE INDEX message_replays_unfinished ON message_replays (id) WHERE finished_at IS NULL;

CREATE TABLE encryption_keys (
  id text NOT NULL COLLATE "C",
  check_value text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT encryption_keys_pkey PRIMARY KEY (id)
);

-- Worker processes and their leases.
CREATE TABLE incarnations (
  id text NOT NULL COLLATE "C",
  started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  host text COLLATE "C",
  pid integer,
  machine text,
  is_temporal_away boolean DEFAULT false NOT NULL,
  CONSTRAINT incarnations_pkey PRIMARY KEY (id)
);

-- The request of an attempt, as it was sent. A subscription's URL and headers change after it, so each form that they had is a version of
-- its own, and an attempt carries the number of its version. Credentials in them are masked as they are written: a value that somebody
-- has replaced is nowhere kept.
CREATE TABLE request_versions (
  subscription_id text NOT NULL COLLATE "C",
  version integer NOT NULL,
  environment_id text NOT NULL COLLATE "C",
  url text NOT NULL,
  headers json,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT request_versions_pkey PRIMARY KEY (subscription_id, version)
);

-- Rows change once a second while there is traffic: with room on their page the index stays as it is. Not UNLOGGED, although nothing is
-- lost with it: a standby that is not promoted yet could not read it, and GET would fail there.
CREATE TABLE subscription_concurrency (
  subscription_id text NOT NULL COLLATE "C",
  incarnation_id text NOT NULL COLLATE "C",
  "limit" integer NOT NULL,
  in_flight integer NOT NULL,
  latency_ms integer,
  seen_at timestamptz(3) NOT NULL,
  CONSTRAINT subscription_concurrency_pkey PRIMARY KEY (subscription_id, incarnation_id)
) WITH (fillfactor='50');

CREATE TABLE idempotency_keys (
  id bytea NOT NULL,
  environment_id text NOT NULL COLLATE "C",
  request_hash bytea NOT NULL,
  owner text COLLATE "C",
  running_until timestamptz(3),
  status integer,
  headers json,
  body text,
  sealed_body text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_sealed ON idempotency_keys (expires_at) WHERE sealed_body IS NOT NULL;

CREATE TABLE publisher_ids (
  environment_id text NOT NULL COLLATE "C",
  channel_id text NOT NULL COLLATE "C",
  publisher_id text NOT NULL COLLATE "C",
  message_id text NOT NULL COLLATE "C",
  hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT publisher_ids_pkey PRIMARY KEY (environment_id, channel_id, publisher_id)
);
CREATE INDEX publisher_ids_expires_at_idx ON publisher_ids (expires_at);

-- One hash chain for each organisation. Its head stands in a table of its own, so that entries missing at the end are noticed too.
CREATE TABLE audit_heads (
  organisation_id text NOT NULL COLLATE "C",
  "position" integer NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_heads_pkey PRIMARY KEY (organisation_id)
);

CREATE TABLE audit_entries (
  id text NOT NULL COLLATE "C",
  organisation_id text NOT NULL COLLATE "C",
  environment_id text COLLATE "C",
  actor_id text COLLATE "C",
  action text NOT NULL,
  target_id text NOT NULL COLLATE "C",
  "position" integer NOT NULL,
  entry text NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_environment_id_id_idx ON audit_entries (environment_id, id);
CREATE INDEX audit_entries_environment_id_target_id_id_idx ON audit_entries (environment_id, target_id, id);
CREATE INDEX audit_entries_organisation_id_id_idx ON audit_entries (organisation_id, id);
CREATE UNIQUE INDEX audit_entries_organisation_id_position_key ON audit_entries (organisation_id, "position");

CREATE TABLE users (
  id text NOT NULL COLLATE "C",
  email text NOT NULL COLLATE "C",
  name text NOT NULL,
  password_hash text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_email_key ON users (email);

CREATE TABLE members (
  organisation_id text NOT NULL COLLATE "C",
  user_id text NOT NULL COLLATE "C",
  role text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT members_role CHECK (role = ANY (ARRAY['owner', 'admin', 'developer', 'viewer'])),
  CONSTRAINT members_pkey PRIMARY KEY (organisation_id, user_id)
);
CREATE INDEX members_user_id_idx ON members (user_id);

CREATE TABLE sessions (
  id text NOT NULL COLLATE "C",
  user_id text NOT NULL COLLATE "C",
  hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  authenticated_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  address text NOT NULL,
  user_agent text,
  proven_by text[] DEFAULT ARRAY['password'],
  CONSTRAINT sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
CREATE UNIQUE INDEX sessions_hash_key ON sessions (hash);
CREATE INDEX sessions_user_id_id_idx ON sessions (user_id, id);

CREATE TABLE known_devices (
  hash bytea NOT NULL,
  user_id text NOT NULL COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT known_devices_pkey PRIMARY KEY (hash)
);
CREATE INDEX known_devices_expires_at_idx ON known_devices (expires_at);
CREATE INDEX known_devices_user_id_idx ON known_devices (user_id);

CREATE TABLE sign_in_tries (
  id bytea NOT NULL,
  tries integer NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  CONSTRAINT sign_in_tries_pkey PRIMARY KEY (id)
);
CREATE INDEX sign_in_tries_ends_at_idx ON sign_in_tries (ends_at);

CREATE TABLE one_time_codes (
  hash bytea NOT NULL,
  purpose text NOT NULL,
  user_id text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT one_time_codes_pkey PRIMARY KEY (hash)
);
CREATE INDEX one_time_codes_expires_at_idx ON one_time_codes (expires_at);
CREATE INDEX one_time_codes_purpose_idx ON one_time_codes (purpose);
CREATE INDEX one_time_codes_user_id_idx ON one_time_codes (user_id);

CREATE TABLE invitations (
  id text NOT NULL COLLATE "C",
  organisation_id text NOT NULL COLLATE "C",
  email text NOT NULL COLLATE "C",
  role text NOT NULL,
  hash bytea NOT NULL,
  invited_by text NOT NULL COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT invitations_role CHECK (role = ANY (ARRAY['owner', 'admin', 'developer', 'viewer'])),
  CONSTRAINT invitations_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX invitations_hash_key ON invitations (hash);
CREATE UNIQUE INDEX invitations_organisation_id_email_key ON invitations (organisation_id, email);
CREATE INDEX invitations_organisation_id_id_idx ON invitations (organisation_id, id);

CREATE TABLE identities (
  issuer text NOT NULL COLLATE "C",
  subject text NOT NULL COLLATE "C",
  user_id text NOT NULL COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX identities_user_id_issuer_key ON identities (user_id, issuer);

CREATE TABLE single_sign_on_attempts (
  hash bytea NOT NULL,
  session_id text COLLATE "C",
  return_to text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT single_sign_on_attempts_pkey PRIMARY KEY (hash)
);
CREATE INDEX single_sign_on_attempts_expires_at_idx ON single_sign_on_attempts (expires_at);

CREATE TABLE totp_factors (
  user_id text NOT NULL COLLATE "C",
  ciphertext text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  confirmed_at timestamptz(3),
  last_step integer,
  CONSTRAINT totp_factors_pkey PRIMARY KEY (user_id)
);

CREATE TABLE recovery_codes (
  hash bytea NOT NULL,
  user_id text NOT NULL COLLATE "C",
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (hash)
);
CREATE INDEX recovery_codes_user_id_idx ON recovery_codes (user_id);

CREATE TABLE second_steps (
  hash bytea NOT NULL,
  user_id text NOT NULL COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT second_steps_pkey PRIMARY KEY (hash)
);
CREATE INDEX second_steps_expires_at_idx ON second_steps (expires_at);
CREATE INDEX second_steps_user_id_idx ON second_steps (user_id);

CREATE TABLE passkeys (
  id text NOT NULL COLLATE "C",
  user_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[],
  is_backup_eligible boolean NOT NULL,
  is_backed_up boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  CONSTRAINT passkeys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id);
CREATE INDEX passkeys_user_id_id_idx ON passkeys (user_id, id);

CREATE TABLE views (
  id text NOT NULL COLLATE "C",
  user_id text NOT NULL COLLATE "C",
  page text NOT NULL,
  name text NOT NULL,
  search json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT views_pkey PRIMARY KEY (id)
);
CREATE INDEX views_user_id_id_idx ON views (user_id, id);
CREATE UNIQUE INDEX views_user_id_page_name_key ON views (user_id, page, name);

CREATE TABLE passkey_challenges (
  hash bytea NOT NULL,
  purpose text NOT NULL,
  bound_to text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (hash)
);
CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at);

CREATE TABLE inbound_webhooks (
  id text NOT NULL COLLATE "C",
  "position" text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  channel_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  scheme text NOT NULL,
  provider text,
  status text DEFAULT 'active' NOT NULL,
  settings json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT inbound_webhooks_pkey PRIMARY KEY (id)
);
CREATE INDEX inbound_webhooks_environment_id_channel_id_idx ON inbound_webhooks (environment_id, channel_id);
CREATE UNIQUE INDEX inbound_webhooks_environment_id_id_key ON inbound_webhooks (environment_id, id);
CREATE INDEX inbound_webhooks_environment_id_position_idx ON inbound_webhooks (environment_id, "position");
CREATE UNIQUE INDEX inbound_webhooks_position_key ON inbound_webhooks ("position");

CREATE TABLE inbound_webhook_secrets (
  id text NOT NULL COLLATE "C",
  inbound_webhook_id text NOT NULL COLLATE "C",
  ciphertext text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  CONSTRAINT inbound_webhook_secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX inbound_webhook_secrets_inbound_webhook_id_idx ON inbound_webhook_secrets (inbound_webhook_id);

CREATE TABLE inbound_events (
  inbound_webhook_id text NOT NULL COLLATE "C",
  event_id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  message_id text NOT NULL COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT inbound_events_pkey PRIMARY KEY (inbound_webhook_id, event_id)
);
CREATE INDEX inbound_events_expires_at_idx ON inbound_events (expires_at);

CREATE TABLE inbound_receipts (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  inbound_webhook_id text NOT NULL COLLATE "C",
  is_repeated boolean NOT NULL,
  is_sample boolean NOT NULL,
  event_id text COLLATE "C",
  message_id text NOT NULL COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT inbound_receipts_pkey PRIMARY KEY (inbound_webhook_id, is_repeated, id)
);
CREATE INDEX inbound_receipts_expires_at_idx ON inbound_receipts (expires_at);

CREATE TABLE inbound_refusals (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  inbound_webhook_id text NOT NULL COLLATE "C",
  reason text NOT NULL,
  detail text NOT NULL,
  address text NOT NULL,
  user_agent text,
  event_id text COLLATE "C",
  bytes integer NOT NULL,
  refused_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  body bytea,
  head text COLLATE "C",
  kept_bytes integer,
  message_id text COLLATE "C",
  CONSTRAINT inbound_refusals_pkey PRIMARY KEY (id)
);
CREATE INDEX inbound_refusals_expires_at_idx ON inbound_refusals (expires_at);
CREATE INDEX inbound_refusals_inbound_webhook_id_id_idx ON inbound_refusals (inbound_webhook_id, id);
CREATE INDEX inbound_refusals_kept ON inbound_refusals (inbound_webhook_id, kept_bytes) WHERE kept_bytes IS NOT NULL;

-- Figures of traffic (docs/decisions.md, Figures). The statements that publish, record a try or make a dead letter add a row in their
-- own transaction. A worker sums these up into `stat_counts`, by minute and by hour, and removes them.
CREATE TABLE stat_parts (
  id bigserial,
  environment_id text NOT NULL COLLATE "C",
  channel_id text COLLATE "C",
  subscription_id text COLLATE "C",
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  accepted integer DEFAULT 0 NOT NULL,
  dead_letters integer DEFAULT 0 NOT NULL,
  outcomes integer[] DEFAULT '{}'::integer[] NOT NULL,
  CONSTRAINT stat_parts_pkey PRIMARY KEY (id)
);

-- The same for runs. Its id comes from no sequence, on which a tenant, who cancels runs, would need a right.
CREATE TABLE run_stat_parts (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  workflow_id text NOT NULL COLLATE "C",
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  code smallint NOT NULL,
  CONSTRAINT run_stat_parts_pkey PRIMARY KEY (id)
);

-- The same for inbound webhooks. The engine alone writes it.
CREATE TABLE inbound_stat_parts (
  id bigserial,
  environment_id text NOT NULL COLLATE "C",
  inbound_webhook_id text NOT NULL COLLATE "C",
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  code smallint NOT NULL,
  CONSTRAINT inbound_stat_parts_pkey PRIMARY KEY (id)
);

-- Rows of the present minute and hour are written again and again: with room in their page that touches no index.
CREATE TABLE stat_counts (
  of_id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  minutes smallint NOT NULL,
  at timestamptz(3) NOT NULL,
  code smallint NOT NULL,
  latency_class smallint NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT stat_counts_pkey PRIMARY KEY (of_id, minutes, at, code, latency_class)
) WITH (fillfactor='70');
CREATE INDEX stat_counts_minutes_at_idx ON stat_counts (minutes, at);

CREATE TABLE inspectors (
  id text NOT NULL COLLATE "C",
  "position" text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  answer_status integer DEFAULT 200 NOT NULL,
  answer_delay_ms integer DEFAULT 0 NOT NULL,
  failure_percent integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT inspectors_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX inspectors_environment_id_id_key ON inspectors (environment_id, id);
CREATE INDEX inspectors_environment_id_position_idx ON inspectors (environment_id, "position");
CREATE UNIQUE INDEX inspectors_position_key ON inspectors ("position");

CREATE TABLE inspected_requests (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  inspector_id text NOT NULL COLLATE "C",
  method text NOT NULL,
  path text NOT NULL,
  headers json NOT NULL,
  body bytea NOT NULL,
  bytes integer NOT NULL,
  answer_status integer NOT NULL,
  answer_delay_ms integer NOT NULL,
  verdict text NOT NULL,
  verdict_reason text,
  message_id text COLLATE "C",
  subscription_id text COLLATE "C",
  arrived_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT inspected_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX inspected_requests_expires_at_idx ON inspected_requests (expires_at);
CREATE INDEX inspected_requests_inspector_id_id_idx ON inspected_requests (inspector_id, id);

CREATE TABLE marks (
  id text NOT NULL COLLATE "C",
  environment_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  at timestamptz(3) NOT NULL,
  made_by text NOT NULL COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT marks_pkey PRIMARY KEY (id)
);
CREATE INDEX marks_environment_id_id_idx ON marks (environment_id, id);

-- Work that a process has in hand. A row whose lease has run out says that its process died, or stood still, in the middle.
CREATE TABLE work_in_hand (
  kind text NOT NULL COLLATE "C",
  id text NOT NULL COLLATE "C",
  holder text NOT NULL COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT work_in_hand_pkey PRIMARY KEY (kind, id, holder)
);
CREATE INDEX work_in_hand_holder_idx ON work_in_hand (holder);

-- Deaths by one part of such work, counted before it is taken up again and taken away once it has been survived.
CREATE TABLE work_deaths (
  kind text NOT NULL COLLATE "C",
  id text NOT NULL COLLATE "C",
  part text NOT NULL COLLATE "C",
  deaths integer NOT NULL,
  holder text NOT NULL COLLATE "C",
  next_at timestamptz(3) NOT NULL,
  CONSTRAINT work_deaths_pkey PRIMARY KEY (kind, id, part)
);

-- Foreign keys. One of two columns says that a row names a parent of its own environment; it asks nothing where one of them is null.

ALTER TABLE apps ADD CONSTRAINT apps_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE environments ADD CONSTRAINT environments_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE environments ADD CONSTRAINT environments_organisation_id_app_id_fkey FOREIGN KEY (organisation_id, app_id) REFERENCES apps(organisation_id, id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE machine_credentials ADD CONSTRAINT machine_credentials_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE machine_credential_secrets ADD CONSTRAINT machine_credential_secrets_machine_credential_id_fkey FOREIGN KEY (machine_credential_id) REFERENCES machine_credentials(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE channels ADD CONSTRAINT channels_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE workflows ADD CONSTRAINT workflows_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE secrets ADD CONSTRAINT secrets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE connections ADD CONSTRAINT connections_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE workflow_versions ADD CONSTRAINT workflow_versions_environment_id_workflow_id_fkey FOREIGN KEY (environment_id, workflow_id) REFERENCES workflows(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE workflow_schedules ADD CONSTRAINT workflow_schedules_environment_id_workflow_id_fkey FOREIGN KEY (environment_id, workflow_id) REFERENCES workflows(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE runs ADD CONSTRAINT runs_environment_id_workflow_id_fkey FOREIGN KEY (environment_id, workflow_id) REFERENCES workflows(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_steps ADD CONSTRAINT run_steps_environment_id_run_id_fkey FOREIGN KEY (environment_id, run_id) REFERENCES runs(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_key_spans ADD CONSTRAINT run_key_spans_environment_id_workflow_id_fkey FOREIGN KEY (environment_id, workflow_id) REFERENCES workflows(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_keys ADD CONSTRAINT run_keys_environment_id_workflow_id_fkey FOREIGN KEY (environment_id, workflow_id) REFERENCES workflows(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_gates ADD CONSTRAINT run_gates_environment_id_run_id_fkey FOREIGN KEY (environment_id, run_id) REFERENCES runs(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_waits ADD CONSTRAINT run_waits_environment_id_run_id_fkey FOREIGN KEY (environment_id, run_id) REFERENCES runs(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE approvals ADD CONSTRAINT approvals_environment_id_run_id_fkey FOREIGN KEY (environment_id, run_id) REFERENCES runs(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE approvals ADD CONSTRAINT approvals_environment_id_workflow_id_fkey FOREIGN KEY (environment_id, workflow_id) REFERENCES workflows(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_environment_id_channel_id_fkey FOREIGN KEY (environment_id, channel_id) REFERENCES channels(environment_id, id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE subscription_secrets ADD CONSTRAINT subscription_secrets_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscriptions(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE bulk_retries ADD CONSTRAINT bulk_retries_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE message_replays ADD CONSTRAINT message_replays_environment_id_subscription_id_fkey FOREIGN KEY (environment_id, subscription_id) REFERENCES subscriptions(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE request_versions ADD CONSTRAINT request_versions_environment_id_subscription_id_fkey FOREIGN KEY (environment_id, subscription_id) REFERENCES subscriptions(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE audit_heads ADD CONSTRAINT audit_heads_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_organisation_id_environment_id_fkey FOREIGN KEY (organisation_id, environment_id) REFERENCES environments(organisation_id, id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE members ADD CONSTRAINT members_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE members ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE known_devices ADD CONSTRAINT known_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE one_time_codes ADD CONSTRAINT one_time_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE invitations ADD CONSTRAINT invitations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE identities ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE totp_factors ADD CONSTRAINT totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE second_steps ADD CONSTRAINT second_steps_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE passkeys ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE views ADD CONSTRAINT views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE inbound_webhooks ADD CONSTRAINT inbound_webhooks_environment_id_channel_id_fkey FOREIGN KEY (environment_id, channel_id) REFERENCES channels(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE inbound_webhook_secrets ADD CONSTRAINT inbound_webhook_secrets_inbound_webhook_id_fkey FOREIGN KEY (inbound_webhook_id) REFERENCES inbound_webhooks(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE inbound_refusals ADD CONSTRAINT inbound_refusals_environment_id_inbound_webhook_id_fkey FOREIGN KEY (environment_id, inbound_webhook_id) REFERENCES inbound_webhooks(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE inspectors ADD CONSTRAINT inspectors_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE inspected_requests ADD CONSTRAINT inspected_requests_environment_id_inspector_id_fkey FOREIGN KEY (environment_id, inspector_id) REFERENCES inspectors(environment_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE marks ADD CONSTRAINT marks_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON UPDATE CASCADE ON DELETE RESTRICT;

-- Triggers.

CREATE FUNCTION posthorn_environment_organisation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.organisation_id := (SELECT organisation_id FROM apps WHERE id = NEW.app_id);
  RETURN NEW;
END $$;

CREATE TRIGGER environments_name_organisation BEFORE INSERT ON environments
  FOR EACH ROW
  WHEN (NEW.organisation_id IS NULL)
  EXECUTE FUNCTION posthorn_environment_organisation();

-- Workers look for due rows from the present on. A row that can be claimed and was due before that is told of as it is committed,
-- whichever statement made it so: a transaction that took long, a replay, a claim that was given back. Deferred, because only the
-- commit knows how late it is. Up to 0.4 s nothing is told (workers look that far back), so that a plain publish never waits for the
-- lock that NOTIFY takes. The time told is rounded down, the further the older it is: some thousands of rows of one subscription
-- make a few different notifications, and PostgreSQL sends equal ones once.
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

CREATE CONSTRAINT TRIGGER deliveries_tell_late AFTER INSERT OR UPDATE OF due_at, holder, carrier ON deliveries DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (NEW.due_at IS NOT NULL AND NEW.holder IS NULL AND NEW.carrier IS NULL)
  EXECUTE FUNCTION posthorn_tell_late();

-- A subscription that takes tries again has rows of any age: it is resumed, its app is active again, its circuit is closed, or its next
-- probe is brought forward.
CREATE FUNCTION posthorn_tell_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('posthorn_due', 'open ' || NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER subscriptions_tell_open AFTER UPDATE OF status, circuit_probe_at, app_suspended_at ON subscriptions
  FOR EACH ROW
  WHEN (NEW.status = 'active' AND NEW.app_suspended_at IS NULL AND NEW.deleted_at IS NULL AND (OLD.status <> 'active' OR OLD.app_suspended_at IS NOT NULL OR NEW.circuit_probe_at < OLD.circuit_probe_at OR (NEW.circuit_probe_at IS NULL AND OLD.circuit_probe_at IS NOT NULL)))
  EXECUTE FUNCTION posthorn_tell_open();

-- Dead letters are made by six statements. One trigger for each of their rows together, and no statement can forget it.
CREATE FUNCTION posthorn_count_dead_letters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_parts (environment_id, channel_id, subscription_id, dead_letters)
  SELECT environment_id, channel_id, subscription_id, count(*) FROM made GROUP BY environment_id, channel_id, subscription_id;
  RETURN NULL;
END $$;

CREATE TRIGGER posthorn_count_dead_letters AFTER INSERT ON dead_letters REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT
  EXECUTE FUNCTION posthorn_count_dead_letters();

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

-- Every writer of a subscription passes here. The newest hundred versions stay.
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

CREATE TRIGGER subscriptions_keep_first_request AFTER INSERT ON subscriptions
  FOR EACH ROW
  EXECUTE FUNCTION posthorn_keep_request();

CREATE TRIGGER subscriptions_keep_request BEFORE UPDATE OF webhook_url, headers ON subscriptions
  FOR EACH ROW
  WHEN (NEW.webhook_url <> OLD.webhook_url OR ((NEW.headers)::text IS DISTINCT FROM (OLD.headers)::text))
  EXECUTE FUNCTION posthorn_keep_request();

-- Entries are added and never changed, also by the owner of the table: he would have to drop the trigger first.
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_is_append_only();

-- The end of an audit chain only ever goes on by one entry. Without it the chain could lose its newest entries unnoticed, and an end that
-- was taken back lets the next change write over what was there.
CREATE FUNCTION audit_ends_go_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the end of an audit chain only goes on' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_heads_stay BEFORE DELETE OR TRUNCATE ON audit_heads
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_ends_go_on();

CREATE TRIGGER audit_heads_go_on BEFORE UPDATE ON audit_heads
  FOR EACH ROW
  WHEN ((NEW.* IS DISTINCT FROM OLD.*) AND ((NEW."position" <> (OLD."position" + 1)) OR NEW.organisation_id <> OLD.organisation_id))
  EXECUTE FUNCTION audit_ends_go_on();

-- Row-level security for the control plane, as a second wall behind the conditions of its queries (docs/security.md, Tenants).
-- Policies bind the role posthorn_tenant, which services take for one transaction (src/db/tenants.ts), and whoever has its rights.
-- Owners of the tables are not asked (ENABLE, not FORCE), and any other role passes: publishing, claiming, recording, reports and dumps
-- stay as they are.
-- The role belongs to all databases of a server. A user of another one who takes it here sees nothing: the user of the session must
-- have rights of its own on a table of this database that are not the role's.
-- `posthorn migrate` makes the role and gives it what these policies name, and nothing else (src/db/row-security/tenant-role.ts). A table
-- without a policy is closed to it.
--
-- Each sub-select is evaluated once for a statement. The conditions are no index conditions on purpose: every query has its own
-- tenant condition, and the plans stay those of the engine.

CREATE FUNCTION posthorn_protect(tables text[], commands text[], condition text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
  command text;
  rule text := format('(SELECT to_regrole(''posthorn_tenant'') IS NULL OR NOT pg_has_role(current_user, to_regrole(''posthorn_tenant''), ''USAGE''))'
    || ' OR ((SELECT has_table_privilege(session_user, ''encryption_keys''::regclass, ''SELECT'')) AND (%s))', condition);
BEGIN
  FOREACH name IN ARRAY tables LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    FOREACH command IN ARRAY commands LOOP
      EXECUTE format('CREATE POLICY %I ON %I FOR %s %s', 'tenant_' || lower(command), name, command,
        CASE command WHEN 'INSERT' THEN format('WITH CHECK (%s)', rule) ELSE format('USING (%s)', rule) END);
    END LOOP;
  END LOOP;
END $$;

-- Above the environments: what belongs to one organisation.
SELECT posthorn_protect(ARRAY['organisations'], ARRAY['SELECT', 'UPDATE'],
  $$id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['apps'], ARRAY['SELECT', 'INSERT', 'UPDATE'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['environments'], ARRAY['SELECT', 'INSERT'],
  $$EXISTS (SELECT FROM apps a WHERE a.id = app_id)$$);
SELECT posthorn_protect(ARRAY['members', 'invitations'], ARRAY['SELECT'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['users'], ARRAY['SELECT'], $$EXISTS (SELECT FROM members m WHERE m.user_id = users.id)$$);

-- Rows of one environment.
SELECT posthorn_protect(
  ARRAY[
    'api_keys', 'machine_credentials', 'channels', 'workflows', 'secrets', 'connections', 'workflow_versions',
    'workflow_schedules', 'runs', 'run_steps', 'run_waits', 'approvals', 'messages', 'scheduled_messages', 'subscriptions',
    'deliveries', 'dead_letters', 'bulk_replays', 'bulk_retries', 'message_replays', 'request_versions', 'idempotency_keys',
    'publisher_ids', 'inbound_webhooks', 'inbound_events', 'inbound_receipts', 'inbound_refusals', 'inspectors',
    'inspected_requests', 'marks'
  ],
  ARRAY['ALL'], $$environment_id = (SELECT current_setting('posthorn.environment', true))$$);

-- Figures of one environment: a caller reads them, and adds those of the runs that it cancels.
SELECT posthorn_protect(ARRAY['stat_counts'], ARRAY['SELECT'],
  $$environment_id = (SELECT current_setting('posthorn.environment', true))$$);
SELECT posthorn_protect(ARRAY['run_stat_parts'], ARRAY['SELECT', 'INSERT'],
  $$environment_id = (SELECT current_setting('posthorn.environment', true))$$);

-- Rows that belong to such a row. The parent is looked for under its own policy.
SELECT posthorn_protect(ARRAY['subscription_secrets'], ARRAY['ALL'],
  $$EXISTS (SELECT FROM subscriptions s WHERE s.id = subscription_id)$$);
SELECT posthorn_protect(ARRAY['subscription_concurrency'], ARRAY['SELECT'],
  $$EXISTS (SELECT FROM subscriptions s WHERE s.id = subscription_id)$$);
SELECT posthorn_protect(ARRAY['attempts'], ARRAY['ALL'], $$EXISTS (SELECT FROM deliveries d WHERE d.id = delivery_id)$$);
SELECT posthorn_protect(ARRAY['machine_credential_secrets'], ARRAY['ALL'],
  $$EXISTS (SELECT FROM machine_credentials c WHERE c.id = machine_credential_id)$$);
SELECT posthorn_protect(ARRAY['inbound_webhook_secrets'], ARRAY['ALL'],
  $$EXISTS (SELECT FROM inbound_webhooks w WHERE w.id = inbound_webhook_id)$$);

-- Worker processes are no tenant's. How many requests they allow to a subscription is asked with those that live.
SELECT posthorn_protect(ARRAY['incarnations'], ARRAY['SELECT'], 'true');

-- The audit log of an organisation; within an environment only its own entries. The role adds entries and can never change one.
SELECT posthorn_protect(ARRAY['audit_heads'], ARRAY['SELECT', 'INSERT', 'UPDATE'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))$$);
SELECT posthorn_protect(ARRAY['audit_entries'], ARRAY['SELECT', 'INSERT'],
  $$organisation_id = (SELECT current_setting('posthorn.organisation', true))
    AND environment_id IS NOT DISTINCT FROM
      coalesce(nullif((SELECT current_setting('posthorn.environment', true)), ''), environment_id)$$);

DROP FUNCTION posthorn_protect(text[], text[], text);

-- A connection that its environment shares is used and seen by the other environment of its app, which never changes it. The environments
-- are looked for under their own policy.
CREATE POLICY tenant_shared ON connections FOR SELECT USING (shared
  AND (SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT'))
  AND EXISTS (
    SELECT FROM environments owner JOIN environments own ON own.app_id = owner.app_id
    WHERE owner.id = connections.environment_id AND own.id = (SELECT current_setting('posthorn.environment', true))
  ));
