import type { Pool, PoolClient } from 'pg';
import { readConfig } from '../../src/platform/config/config.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { outcomeOf } from '../../src/kernel/words/outcomes.ts';
import { createNewId, type NewId } from '../../src/platform/new-id.ts';
import { readRunningState } from '../../src/process/roles/serving/running-state.ts';
import type { Events } from './events.ts';

/** A subscription that receives a part of the rows. */
export type BulkTarget = { channelId: string; subscriptionId: string; eventTypes: readonly string[] };

export type BulkOptions = {
  /** As `findBulkDatabase` returns it. */
  databaseUrl: string;
  /** Number of messages, each with one delivery and one attempt. */
  rows: number;
  targets: readonly BulkTarget[];
  events: Events;
  random: () => number;
  onProgress: (inserted: number) => void;
};

const DAY_MS = 86_400_000;
/** Rows of a quarter of an hour are one transaction, and one bar in a chart of 24 hours. */
const SLOT_MS = 900_000;
const SLOTS = DAY_MS / SLOT_MS;
/** Share of deliveries that have failed, with a dead letter. */
const FAILED_SHARE = 0.02;
const LONGEST_PAYLOAD = 4_096;
const PAYLOADS = 40;

/** Hosts of databases that may be filled. */
export const isLoopback = (url: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

/** Database of the `npm start` at this address. Throws unless it runs on this checkout and its database is on loopback. */
export function findBulkDatabase(url: string): string {
  const running = readRunningState(readConfig().dataFolder);
  if (running === undefined || running.apiUrl !== url)
    throw new Error('--rows needs the `npm start` of this checkout: it writes to the database of that service');
  if (!isLoopback(running.databaseUrl)) throw new Error('--rows writes only to a database on loopback');
  return running.databaseUrl;
}

/**
 * Inserts finished deliveries of the last 24 hours, more by day than by night, and counts them for the charts. The API accepts no times
 * in the past, so this writes to the database.
 */
export async function insertBulkRows(options: BulkOptions): Promise<void> {
  const pool = createPool(options.databaseUrl, { max: 1 });
  try {
    await insertSlots(pool, options);
  } finally {
    await pool.end();
  }
}

async function insertSlots(pool: Pool, { rows, targets, events, random, onProgress }: BulkOptions): Promise<void> {
  const texts = payloadsOf(events);
  const begin = Math.floor(Date.now() / SLOT_MS) * SLOT_MS - DAY_MS;
  const weights = Array.from({ length: SLOTS }, (_, slot) => weightAt(new Date(begin + slot * SLOT_MS)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let due = 0;
  let inserted = 0;
  for (const [slot, weight] of weights.entries()) {
    due += (rows * weight) / total;
    const count = (slot === SLOTS - 1 ? rows : Math.round(due)) - inserted;
    const from = begin + slot * SLOT_MS;
    await inTransaction(pool, async (connection) => {
      // Losing rows of a demo does no harm, and waiting for the disk takes longer than everything else.
      await connection.query('SET LOCAL synchronous_commit = off');
      for (const [index, target] of targets.entries()) {
        const part = Math.floor(count / targets.length) + (index < count % targets.length ? 1 : 0);
        if (part > 0) await insertSlot(connection, { from, part, target, texts, random });
      }
    });
    inserted += count;
    onProgress(inserted);
  }
}

/** Twice as much at three in the afternoon (UTC) as at three in the morning. */
const weightAt = (time: Date): number =>
  3 - Math.cos(((time.getUTCHours() - 3 + time.getUTCMinutes() / 60) / 12) * Math.PI);

/** Some payloads of each event type, as texts. */
function payloadsOf(events: Events): ReadonlyMap<string, string[]> {
  const texts = new Map<string, string[]>();
  for (let position = 0; position < PAYLOADS; position += 1) {
    const { eventType, payload } = events.at(position);
    const text = JSON.stringify(payload);
    if (text.length <= LONGEST_PAYLOAD) texts.set(eventType, [...(texts.get(eventType) ?? []), text]);
  }
  return texts;
}

const MESSAGES = `
  INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
  SELECT r.id, $1, $2, r.type, r.payload, r.at FROM unnest($3::text[], $4::text[], $5::text[], $6::timestamptz[]) AS r (id, type, payload, at)`;
const DELIVERIES = `
  INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, policy_attempts,
    max_retries, initial_delay, max_delay, backoff_multiplier, policy_started_at, last_attempt_at, response_status, response_body,
    response_latency_ms, failure_reason, created_at)
  SELECT r.id, $1, $2, r.message, $3, r.type, CASE WHEN r.status < 300 THEN 'delivered' ELSE 'failed' END, 1, 1, 0, 1000, 1000, 1,
    r.at, r.at, r.status, '', r.latency, CASE WHEN r.status < 300 THEN NULL ELSE 'exhausted' END, r.at
  FROM unnest($4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::timestamptz[]) AS r (id, message, type, status, latency, at)`;
const ATTEMPTS = `
  INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, error_message, response_status,
    response_headers, response_body, response_latency_ms, carrier, request_version)
  SELECT r.id, r.delivery, 1, r.at, r.latency, CASE WHEN r.status < 300 THEN 'delivered' ELSE 'failed' END,
    CASE WHEN r.status < 300 THEN NULL ELSE 'status' END, CASE WHEN r.status < 300 THEN NULL ELSE 'The receiver answered 503' END, r.status,
    '{"content-type":"application/json"}', '', r.latency, 'delivery/' || r.delivery || '/1', 1
  FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::timestamptz[]) AS r (id, delivery, status, latency, at)`;
const DEAD_LETTERS = `
  INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round, event_type, reason,
    error_class, error_message, error_status, attempts, failed_at)
  SELECT r.id, $1, $2, r.message, $3, r.delivery, 1, r.type, 'exhausted', 'status', 'The receiver answered 503', 503, 1, r.at
  FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[]) AS r (id, message, delivery, type, at)`;
const COUNTS = `
  WITH rows AS (SELECT date_trunc('minute', r.at) AS at, r.outcome FROM unnest($4::timestamptz[], $5::int[]) AS r (at, outcome))
  INSERT INTO stat_parts (environment_id, channel_id, subscription_id, at, accepted, outcomes)
  SELECT $1, $2, NULL, at, count(*), '{}' FROM rows GROUP BY at
  UNION ALL SELECT $1, $2, $3, at, 0, array_agg(outcome) FROM rows GROUP BY at`;
// A trigger has counted the dead letters of this statement as of now.
const COUNTED_THEN = `
  UPDATE stat_parts SET at = $1 WHERE xmin = pg_current_xact_id()::xid AND dead_letters > 0 AND subscription_id = $2`;

type Slot = {
  from: number;
  part: number;
  target: BulkTarget;
  texts: ReadonlyMap<string, string[]>;
  random: () => number;
};

async function insertSlot(connection: PoolClient, { from, part, target, texts, random }: Slot): Promise<void> {
  const { channelId, subscriptionId, eventTypes } = target;
  const { rows: found } = await connection.query<{ id: string }>(
    'SELECT environment_id AS id FROM channels WHERE id = $1',
    [channelId],
  );
  const environmentId = found[0]?.id;
  let time = from;
  const newId: NewId = createNewId(() => time);
  const rows = Array.from({ length: part }, (_, index) => {
    time = from + Math.floor((SLOT_MS * index) / part);
    const type = eventTypes[Math.floor(random() * eventTypes.length)] ?? 'order.created';
    const of = texts.get(type) ?? ['{}'];
    return {
      message: newId('message'),
      delivery: newId('delivery'),
      attempt: newId('attempt'),
      letter: newId('deadLetter'),
      type,
      payload: of[index % of.length] ?? '{}',
      status: random() < FAILED_SHARE ? 503 : random() < 0.2 ? 204 : 200,
      latency: Math.round(10 + random() ** 4 * 800),
      at: new Date(time),
    };
  });
  const column = <K extends keyof (typeof rows)[number]>(name: K, of = rows) => of.map((row) => row[name]);
  const ids = [environmentId, channelId];
  await connection.query(MESSAGES, [...ids, column('message'), column('type'), column('payload'), column('at')]);
  await connection.query(DELIVERIES, [
    ...ids,
    subscriptionId,
    ...(['delivery', 'message', 'type', 'status', 'latency', 'at'] as const).map((name) => column(name)),
  ]);
  await connection.query(
    ATTEMPTS,
    (['attempt', 'delivery', 'status', 'latency', 'at'] as const).map((name) => column(name)),
  );
  const outcomes = rows.map(({ status, latency }) =>
    outcomeOf({ errorClass: status < 300 ? undefined : 'status', response: { status, latencyMs: latency } }),
  );
  await connection.query(COUNTS, [...ids, subscriptionId, column('at'), outcomes]);
  const failed = rows.filter(({ status }) => status === 503);
  if (failed.length === 0) return;
  await connection.query(DEAD_LETTERS, [
    ...ids,
    subscriptionId,
    ...(['letter', 'message', 'delivery', 'type', 'at'] as const).map((name) => column(name, failed)),
  ]);
  await connection.query(COUNTED_THEN, [new Date(from), subscriptionId]);
}
