import type { Pool, PoolClient } from 'pg';

/** Content of a grown database. */
export type Growth = { messages: number; subscriptions: number; payloadBytes: number; environmentId: string };

// While filling only: nothing of it would survive a loss of power, and nothing needs to.
export const FILL_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // A table that is emptied and filled in one transaction writes no log at all.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  shared_buffers: '1GB',
  maintenance_work_mem: '1GB',
  work_mem: '256MB',
  autovacuum: 'off',
  jit: 'off',
};

/** Subscriptions of a channel, one for each event type: a message is wanted by exactly one. */
const PER_CHANNEL = 5;
/** Age of the oldest message. */
export const DAYS = 30;
// One delivery of so many in each state: failed with a dead letter, due now, waiting for a retry, carried by Temporal. Prime numbers
// fall on busy and calm channels alike.
const ONE_IN = { failed: 997, due: 3_989, retrying: 4_001, carried: 7_993 };

const channelId = (index: number): string => `chn_${index.toString(16).padStart(26, '0')}`;
const subscriptionId = (index: number): string => `sub_${index.toString(16).padStart(26, '0')}`;

/** The channel with a fifth of all messages, one of its subscriptions, and one of the many small ones. */
export const BUSY = { channelId: channelId(0), subscriptionId: subscriptionId(2), eventType: 'growth.2' };
export const CALM = { channelId: channelId(7), subscriptionId: subscriptionId(7 * PER_CHANNEL + 2) };

// A row per message, with ids and times like the service's own: 100 messages share a millisecond and so the first ten characters.
// Their number follows, whose hexadecimal digits are digits of an id as well.
const VIEW = `
  CREATE FUNCTION growth_time(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> shift) & 31)::int + 1, 1), '' ORDER BY shift DESC)
    FROM generate_series(0, 45, 5) AS shift $$;
  CREATE TABLE growth_slots AS
    SELECT slot, ms, growth_time(ms) AS prefix, to_timestamp(ms / 1000.0) AS at
    FROM (SELECT slot, (extract(epoch FROM now()) * 1000)::bigint - %LENGTH%::bigint + slot * %STEP%::bigint AS ms
          FROM generate_series(0, %SLOTS% - 1) AS slot) AS slots;
  CREATE VIEW growth AS
    SELECT i, at, prefix || lpad(to_hex(i), 16, '0') AS suffix, c, k, c * ${PER_CHANNEL} + k AS s,
      'chn_' || lpad(to_hex(c), 26, '0') AS channel_id, 'sub_' || lpad(to_hex(c * ${PER_CHANNEL} + k), 26, '0') AS subscription_id
    FROM (SELECT slot * 100 + n AS i, at, prefix,
            CASE WHEN n % 5 = 0 THEN 0 ELSE (slot * 100 + n) % %CHANNELS% END AS c, ((slot * 100 + n) / %CHANNELS%) % ${PER_CHANNEL} AS k
          FROM growth_slots CROSS JOIN generate_series(0, 99) AS n) AS numbered`;

const SUBSCRIPTIONS = `
  WITH channel AS (
    INSERT INTO channels (id, environment_id, name, updated_at)
    SELECT 'chn_' || lpad(to_hex(c), 26, '0'), $1, 'Channel ' || c, now() FROM generate_series(0, $2::int / ${PER_CHANNEL} - 1) AS c
    RETURNING id
  ), subscription AS (
    INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, max_retries, initial_delay,
      max_delay, backoff_multiplier, updated_at)
    SELECT 'sub_' || lpad(to_hex(s), 26, '0'), $1, 'chn_' || lpad(to_hex(s / ${PER_CHANNEL}), 26, '0'), 'Subscription ' || s,
      'http://127.0.0.1:9/' || s, ARRAY['growth.' || (s % ${PER_CHANNEL})], 10, 5000, 21600000, 3, now()
    FROM generate_series(0, $2::int - 1) AS s
    RETURNING id
  )
  INSERT INTO subscription_secrets (id, subscription_id, ciphertext)
  SELECT 'sec_' || substr(id, 5), id, repeat('x', 120) FROM subscription`;

const MESSAGES = `
  INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
  SELECT 'msg_' || suffix, $1, channel_id, 'growth.' || k, $2, at FROM growth`;

const is = (state: keyof typeof ONE_IN, rest: number): string => `i % ${ONE_IN[state]} = ${rest}`;
const isUnfinished = `(${is('due', 1)} OR ${is('retrying', 2)} OR ${is('carried', 4)})`;

const DELIVERIES = `
  INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, policy_attempts,
    due_at, next_retry_at, carrier, max_retries, initial_delay, max_delay, backoff_multiplier, last_attempt_at, response_status,
    response_body, response_latency_ms, failure_reason, created_at)
  SELECT 'dlv_' || suffix, $1, channel_id, 'msg_' || suffix, subscription_id, 'growth.' || k,
    CASE WHEN ${is('due', 1)} THEN 'pending' WHEN ${isUnfinished} THEN 'retrying' WHEN ${is('failed', 3)} THEN 'failed' ELSE 'delivered' END,
    CASE WHEN ${is('due', 1)} THEN 0 ELSE 1 END, CASE WHEN ${is('due', 1)} THEN 0 ELSE 1 END,
    CASE WHEN ${is('due', 1)} THEN at WHEN ${isUnfinished} THEN now() + interval '1 hour' END,
    CASE WHEN ${isUnfinished} AND NOT (${is('due', 1)}) THEN now() + interval '1 hour' END,
    CASE WHEN ${is('carried', 4)} THEN 'delivery/dlv_' || suffix || '/1' END,
    10, 5000, 21600000, 3, at, 200, 'ok', 3, CASE WHEN ${is('failed', 3)} THEN 'exhausted' END, at
  FROM growth`;

const ATTEMPTS = `
  INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, error_message, response_status,
    response_headers, response_body, response_latency_ms, carrier)
  SELECT 'att_' || suffix, 'dlv_' || suffix, 1, at, 3, CASE WHEN ${isUnfinished} OR ${is('failed', 3)} THEN 'failed' ELSE 'delivered' END,
    NULL, NULL, 200, '{"content-type":"text/plain","content-length":"2"}', 'ok', 3, 'drain/inc_growth/1'
  FROM growth WHERE $1::text IS NOT NULL AND NOT (${is('due', 1)})`;

const DEAD_LETTERS = `
  INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round, event_type, reason,
    error_class, error_message, error_status, attempts, failed_at, status)
  SELECT 'dlq_' || suffix, $1, channel_id, 'msg_' || suffix, subscription_id, 'dlv_' || suffix, 1, 'growth.' || k, 'exhausted',
    'status', 'answered 500', 500, 11, at, CASE WHEN i % 3 = 0 THEN 'replayed' ELSE 'open' END
  FROM growth WHERE ${is('failed', 3)}`;

// Figures of every minute of three days and every hour of 400, as the service keeps them: of the environment by both, of each channel and
// subscription by the hours of the last 30 days. With 10,000 subscriptions that is 9 million rows.
const FIGURES = `
  INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
  SELECT $1, $1, grain.minutes, at, code, CASE code WHEN 200 THEN 4 ELSE 63 END, 100
  FROM (VALUES (1, interval '3 days'), (60, interval '400 days')) AS grain (minutes, kept)
    CROSS JOIN LATERAL generate_series(date_trunc('hour', now()) - grain.kept, now(), make_interval(mins => grain.minutes)) AS at
    CROSS JOIN (VALUES (0), (-1), (200), (3)) AS codes (code)
  UNION ALL
  SELECT of_id, $1, 60, at, 200, 4, 10
  FROM (SELECT id FROM channels UNION ALL SELECT id FROM subscriptions) AS things (of_id)
    CROSS JOIN generate_series(date_trunc('hour', now()) - interval '30 days', now(), interval '1 hour') AS at
  WHERE of_id <> $1`;

/** JSON of so many bytes. */
export const payloadOf = (bytes: number): string =>
  JSON.stringify({ text: 'x'.repeat(Math.max(0, bytes - '{"text":""}'.length)) });

/** Fills an empty, migrated database: messages of the last 30 days with one delivery and its attempt each. */
export async function fill(pool: Pool, growth: Growth, onProgress: (line: string) => void): Promise<void> {
  const { environmentId, messages, subscriptions } = growth;
  const slots = Math.ceil(messages / 100);
  const lengthMs = DAYS * 86_400_000;
  const channels = Math.floor(subscriptions / PER_CHANNEL);
  const values = { LENGTH: lengthMs, STEP: Math.floor(lengthMs / slots), SLOTS: slots, CHANNELS: channels };
  await pool.query(
    Object.entries(values).reduce((sql, [name, value]) => sql.replaceAll(`%${name}%`, String(value)), VIEW),
  );
  await pool.query(SUBSCRIPTIONS, [environmentId, channels * PER_CHANNEL]);
  const payload = payloadOf(growth.payloadBytes);
  const tables: [string, string, string[]][] = [
    ['messages', MESSAGES, [environmentId, payload]],
    ['deliveries', DELIVERIES, [environmentId]],
    ['attempts', ATTEMPTS, [environmentId]],
    ['dead_letters', DEAD_LETTERS, [environmentId]],
    ['stat_counts', FIGURES, [environmentId]],
  ];
  for (const [table, statement, parameters] of tables) {
    onProgress(`Filling ${table}`);
    await fillTable(pool, table, (connection) => connection.query(statement, parameters));
  }
  onProgress('Vacuum and statistics, as autovacuum would have made them');
  await pool.query('DROP VIEW growth; DROP TABLE growth_slots; DROP FUNCTION growth_time');
  await pool.query('VACUUM (ANALYZE)');
}

/** Rows first, indexes after, in one transaction with the emptying, so that nothing goes through the log. */
async function fillTable(
  pool: Pool,
  table: string,
  insert: (connection: PoolClient) => Promise<unknown>,
): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN');
    const { rows: indexes } = await connection.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename = $1 AND indexname <> tablename || '_pkey'`,
      [table],
    );
    const { rows: keys } = await connection.query<{ definition: string }>(
      'SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = $1',
      [`${table}_pkey`],
    );
    for (const { name } of indexes) await connection.query(`DROP INDEX "${name}"`);
    await connection.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`);
    await connection.query(`TRUNCATE ${table}`);
    // Rows of every age: no worker listens that would have to be notified of each.
    await connection.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await insert(connection);
    await connection.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    await connection.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey ${keys[0]?.definition}`);
    // PostgreSQL writes ONLY into the definition of a partitioned table's index.
    for (const { definition } of indexes) await connection.query(definition.replace(' ON ONLY ', ' ON '));
    await connection.query('COMMIT');
  } catch (failure) {
    await connection.query('ROLLBACK');
    throw failure;
  } finally {
    connection.release();
  }
}
