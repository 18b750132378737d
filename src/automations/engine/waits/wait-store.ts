import type { Pool } from 'pg';
import type { StepInput, RunInput } from '../../../kernel/contract/run-workflow.ts';
import { wantedBy } from '../../../platform/db/sql/fragments.ts';
import { cancelRuns } from '../../../platform/db/sql/ended-runs.ts';

type Step = Pick<StepInput, 'runId' | 'stepId' | 'iteration'>;

/**
 * The clocks of the processes can differ by a few ms, so a message published after the run's message may have an
 * earlier time.
 */
export const CLOCKS_DIFFER_MS = 1_000;

/**
 * A message that ends a wait before its timeout: one with this key, published at `since` or later. `waitingStep` is stored
 * in the column `place`.
 */
export type Awaited = { waitingStep: string; key: string; since: Date };

/** Registers a wait, once. If it has already taken a message for the same values, it keeps it. */
export async function registerWait(
  pool: Pool,
  { runId, stepId, iteration, environmentId }: Step & { environmentId: string },
  awaited: Awaited | undefined,
): Promise<void> {
  await pool.query({
    name: 'register_wait',
    text: `INSERT INTO run_waits AS w (run_id, step_id, iteration, environment_id, place, key, since)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (run_id, step_id, iteration) DO UPDATE SET place = excluded.place, key = excluded.key, since = excluded.since,
        due_at = NULL, message_id = CASE WHEN (w.place, w.key) IS NOT DISTINCT FROM (excluded.place, excluded.key) THEN w.message_id END`,
    values: [
      runId,
      stepId,
      iteration,
      environmentId,
      awaited?.waitingStep ?? null,
      awaited?.key ?? null,
      awaited?.since ?? null,
    ],
  });
}

/** Returns an open wait; undefined once it was closed. */
export async function readWait(
  pool: Pool,
  { runId, stepId, iteration }: Step,
): Promise<{ since: Date | null; messageId: string | null } | undefined> {
  const { rows } = await pool.query<{ since: Date | null; messageId: string | null }>({
    name: 'read_wait',
    text: `SELECT since, message_id AS "messageId" FROM run_waits WHERE run_id = $1 AND step_id = $2 AND iteration = $3`,
    values: [runId, stepId, iteration],
  });
  return rows[0];
}

/** Closes a wait that has not taken a message, so that no message can end it any more. */
export async function closeWait(pool: Pool, { runId, stepId, iteration }: Step): Promise<void> {
  await pool.query({
    name: 'close_wait',
    text: 'DELETE FROM run_waits WHERE run_id = $1 AND step_id = $2 AND iteration = $3 AND message_id IS NULL',
    values: [runId, stepId, iteration],
  });
}

// SQLSTATE of a violation of the index that allows only one wait of a run to take a message.
const UNIQUE_VIOLATION = '23505';

/**
 * Assigns a message to the wait, unless it already has one or another wait of the run has this one. `isDue`: a worker
 * must process the wait.
 */
export async function takeMessage(
  pool: Pool,
  { runId, stepId, iteration }: Step,
  messageId: string,
  { isDue = false } = {},
): Promise<void> {
  try {
    await pool.query({
      name: 'take_awaited',
      text: `UPDATE run_waits SET message_id = $4, due_at = CASE WHEN $5 THEN now() END
        WHERE run_id = $1 AND step_id = $2 AND iteration = $3 AND message_id IS NULL`,
      values: [runId, stepId, iteration, messageId, isDue],
    });
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== UNIQUE_VIOLATION) throw error;
  }
}

// Newest messages of a channel that a wait looks back at: this many of each literal event type, and this many of all
// types if a type has a wildcard or none is named.
const OF_A_TYPE = 1_000;
const OF_A_CHANNEL = 10_000;

// Literal event types in $4 use the index by event type.
const CANDIDATES = `
  WITH channel AS (
    SELECT id FROM channels WHERE environment_id = $1 AND deleted_at IS NULL AND kind <> 'system'
      AND (cardinality($3::text[]) = 0 OR id = ANY ($3))
  ), found AS (
    SELECT m.id FROM channel c CROSS JOIN unnest($4::text[]) AS t (event_type) CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.channel_id = c.id AND m.event_type = t.event_type AND m.id >= $5
        AND m.only_subscription_id IS NULL ORDER BY m.id DESC LIMIT ${OF_A_TYPE}) m
    WHERE right(t.event_type, 1) <> '*'
    UNION
    SELECT m.id FROM channel c CROSS JOIN LATERAL (
      SELECT m.id, m.event_type FROM messages m WHERE m.channel_id = c.id AND m.id >= $5
        AND m.only_subscription_id IS NULL ORDER BY m.id DESC LIMIT ${OF_A_CHANNEL}) m
    WHERE $6 AND ${wantedBy('$4::text[]')}
  )
  SELECT f.id FROM found f JOIN runs r ON r.id = $2
  WHERE f.id IS DISTINCT FROM r.message_id
    AND NOT EXISTS (SELECT FROM run_waits t WHERE t.run_id = $2 AND t.message_id = f.id)
  ORDER BY f.id`;

/**
 * Returns the ids of messages that a wait may have missed, oldest first: from `sinceId` on, in its channels and of its
 * event types (empty: all). Excludes the message that started the run and those that other waits of the run have taken.
 */
export async function findCandidates(
  pool: Pool,
  {
    environmentId,
    runId,
    channelIds,
    eventTypes,
    sinceId,
  }: {
    environmentId: string;
    runId: string;
    channelIds: readonly string[];
    eventTypes: readonly string[];
    sinceId: string;
  },
): Promise<string[]> {
  const hasWildcard = eventTypes.length === 0 || eventTypes.some((type) => type.endsWith('*'));
  const { rows } = await pool.query<{ id: string }>({
    name: 'find_candidates',
    text: CANDIDATES,
    values: [environmentId, runId, channelIds, eventTypes, sinceId, hasWildcard],
  });
  return rows.map(({ id }) => id);
}

type Watch = { runId: string; stepId: string };

/**
 * Registers a cancellation trigger of a run, once. Returns false if it has already taken a message: a message cancels a
 * run once, even if the run is retried.
 */
export async function registerWatch(
  pool: Pool,
  { runId, stepId, environmentId, waitingStep, key, since }: Watch & { environmentId: string } & Awaited,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'register_watch',
    text: `INSERT INTO run_waits AS w (run_id, step_id, iteration, environment_id, place, key, since) VALUES ($1, $2, '', $3, $4, $5, $6)
      ON CONFLICT (run_id, step_id, iteration) DO UPDATE SET place = excluded.place, key = excluded.key WHERE w.message_id IS NULL`,
    values: [runId, stepId, environmentId, waitingStep, key, since],
  });
  return rowCount === 1;
}

const TAKEN = `FROM run_waits w WHERE w.run_id = $1 AND w.step_id LIKE 'cancelOn[%' AND w.message_id IS NOT NULL AND w.due_at IS NOT NULL`;
const CANCEL = cancelRuns({
  which: `r.id = $1 AND r.round = $2 AND EXISTS (SELECT ${TAKEN})`,
  reason: `(SELECT 'cancelled by the message ' || min(w.message_id) ${TAKEN})`,
});

/** Cancels the run if one of its cancellation triggers has taken a message. Returns whether it did. */
export async function cancelTaken(pool: Pool, { runId, round }: RunInput): Promise<boolean> {
  const { rowCount } = await pool.query(CANCEL, [runId, round]);
  if (rowCount !== 1) return false;
  // The same message does not cancel a retry of the run.
  await pool.query(`UPDATE run_waits w SET due_at = NULL WHERE w.run_id = $1 AND w.step_id LIKE 'cancelOn[%'`, [runId]);
  return true;
}
