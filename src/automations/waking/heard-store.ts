import type { Pool, PoolClient } from 'pg';
import { cancelRuns } from '../../platform/db/sql/ended-runs.ts';

// One index lookup for each environment, however many entries it has.
const HEARING = `
  WITH RECURSIVE found AS (
    (SELECT environment_id FROM awaited_messages ORDER BY environment_id LIMIT 1)
    UNION ALL
    SELECT (SELECT h.environment_id FROM awaited_messages h WHERE h.environment_id > f.environment_id ORDER BY h.environment_id LIMIT 1)
    FROM found f WHERE f.environment_id IS NOT NULL
  )
  SELECT environment_id AS id FROM found WHERE environment_id IS NOT NULL`;

/** Returns the environments that have queued messages. */
export async function findHearing(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ name: 'find_hearing', text: HEARING });
  return rows.map(({ id }) => id);
}

/** Locks up to `most` queue entries of an environment for this transaction, oldest first; other workers skip them. */
export async function lockHeard(connection: PoolClient, environmentId: string, most: number): Promise<string[]> {
  const { rows } = await connection.query<{ messageId: string }>({
    name: 'lock_heard',
    text: `SELECT message_id AS "messageId" FROM awaited_messages WHERE environment_id = $1
      ORDER BY message_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
    values: [environmentId, most],
  });
  return rows.map(({ messageId }) => messageId);
}

export async function removeHeard(connection: PoolClient, messageIds: readonly string[]): Promise<void> {
  await connection.query({
    name: 'remove_heard',
    text: 'DELETE FROM awaited_messages WHERE message_id = ANY ($1)',
    values: [messageIds],
  });
}

// One index lookup for each waiting step (column `place`), however many runs wait there.
const WAITING_STEPS = `
  WITH RECURSIVE found AS (
    (SELECT place FROM run_waits WHERE environment_id = $1 AND place IS NOT NULL AND message_id IS NULL ORDER BY place LIMIT 1)
    UNION ALL
    SELECT (SELECT w.place FROM run_waits w
      WHERE w.environment_id = $1 AND w.place > f.place AND w.message_id IS NULL ORDER BY w.place LIMIT 1)
    FROM found f WHERE f.place IS NOT NULL
  )
  SELECT place FROM found WHERE place IS NOT NULL`;

/** Returns the steps at which runs of an environment wait for a message. */
export async function findWaitingSteps(connection: PoolClient, environmentId: string): Promise<string[]> {
  const { rows } = await connection.query<{ place: string }>({
    name: 'find_waiting_steps',
    text: WAITING_STEPS,
    values: [environmentId],
  });
  return rows.map(({ place }) => place);
}

// In key order, so that two workers wait for each other instead of causing a deadlock. A run takes a message only once:
// a message that cancels it does not also end a wait.
const END_WAITS = `
  WITH open AS (
    SELECT w.run_id, w.step_id, w.iteration
    FROM unnest($3::text[], $4::text[]) AS t (place, key)
      JOIN run_waits w ON w.environment_id = $2 AND w.place = t.place AND w.key = t.key AND w.message_id IS NULL AND w.since <= $5
      JOIN runs r ON r.id = w.run_id AND r.finished_at IS NULL AND r.message_id IS DISTINCT FROM $1
    WHERE NOT EXISTS (SELECT FROM run_waits taken WHERE taken.run_id = w.run_id AND taken.message_id = $1)
    ORDER BY w.run_id, w.step_id, w.iteration FOR UPDATE OF w
  ), chosen AS (
    SELECT DISTINCT ON (run_id) run_id, step_id, iteration FROM open
    ORDER BY run_id, step_id NOT LIKE 'cancelOn[%', step_id, iteration
  )
  UPDATE run_waits w SET message_id = $1, due_at = now() FROM chosen c
  WHERE w.run_id = c.run_id AND w.step_id = c.step_id AND w.iteration = c.iteration`;

/** Assigns a message to the waits of these steps and keys, and makes their runs due to be woken. */
export async function giveMessage(
  connection: PoolClient,
  { id, environmentId, publishedAt }: { id: string; environmentId: string; publishedAt: Date },
  keys: readonly { waitingStep: string; key: string }[],
): Promise<void> {
  await connection.query({
    name: 'give_message',
    text: END_WAITS,
    values: [id, environmentId, keys.map(({ waitingStep }) => waitingStep), keys.map(({ key }) => key), publishedAt],
  });
}

/**
 * A wait that a worker must process: its run must be woken, or its step was stopped. `carrier`: the id of the run's
 * Temporal workflow; null if there is none at the moment.
 */
export type DueWake = { runId: string; stepId: string; iteration: string; carrier: string | null; isCut: boolean };

// If a worker dies, its claims are due again after this time. Waking a run twice is harmless.
const CLAIM_SECONDS = 30;

const CLAIM_WAKES = `
  WITH due AS (
    SELECT run_id, step_id, iteration FROM run_waits WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  UPDATE run_waits w SET due_at = now() + make_interval(secs => ${CLAIM_SECONDS}) FROM due d, runs r
  WHERE w.run_id = d.run_id AND w.step_id = d.step_id AND w.iteration = d.iteration AND r.id = w.run_id
  RETURNING w.run_id AS "runId", w.step_id AS "stepId", w.iteration, CASE WHEN r.finished_at IS NULL THEN r.carrier END AS carrier,
    EXISTS (SELECT FROM run_steps s WHERE s.run_id = w.run_id AND s.step_id = w.step_id AND s.iteration = w.iteration
      AND s.finished_at IS NOT NULL) AS "isCut"`;

export async function claimWakes(pool: Pool, most: number): Promise<DueWake[]> {
  const { rows } = await pool.query<DueWake>({ name: 'claim_wakes', text: CLAIM_WAKES, values: [most] });
  return rows;
}

const columnsOf = (wakes: readonly DueWake[]): unknown[] => [
  wakes.map(({ runId }) => runId),
  wakes.map(({ stepId }) => stepId),
  wakes.map(({ iteration }) => iteration),
];

const THESE = `FROM unnest($1::text[], $2::text[], $3::text[]) AS t (run_id, step_id, iteration)
  WHERE w.run_id = t.run_id AND w.step_id = t.step_id AND w.iteration = t.iteration AND w.due_at IS NOT NULL`;

/** Records that these runs have been woken. */
export async function recordTold(pool: Pool, wakes: readonly DueWake[]): Promise<void> {
  await pool.query(`UPDATE run_waits w SET due_at = NULL ${THESE}`, columnsOf(wakes));
}

/** Releases claims that could not be processed; they are due again. */
export async function releaseWakes(pool: Pool, wakes: readonly DueWake[]): Promise<void> {
  await pool.query(`UPDATE run_waits w SET due_at = now() ${THESE}`, columnsOf(wakes));
}

/** Returns the milliseconds until there is work, 0 or less if there is some now; undefined if there is none. */
export async function nextWakeInMs(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ inMs: number | null }>({
    name: 'next_wake',
    text: `SELECT CASE WHEN EXISTS (SELECT FROM awaited_messages) THEN 0
      ELSE (SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::float8 FROM run_waits WHERE due_at IS NOT NULL
        ORDER BY due_at LIMIT 1) END AS "inMs"`,
  });
  return rows[0]?.inMs ?? undefined;
}

/** Removes waits of finished runs. */
export async function removeEndedWaits(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM run_waits w USING runs r WHERE r.id = w.run_id AND r.finished_at IS NOT NULL AND w.message_id IS NULL
       AND w.due_at IS NULL`,
  );
}

const CANCEL_CHILDREN_OF_CUT = cancelRuns({
  which: `r.id IN (
    SELECT c.id FROM unnest($1::text[], $2::text[], $3::text[]) AS t (run_id, step_id, iteration)
      JOIN run_steps s ON s.run_id = t.run_id AND s.step_id = t.step_id AND s.iteration = t.iteration AND s.finished_at IS NOT NULL
      JOIN runs c ON c.parent_run_id = t.run_id AND c.parent_step = t.step_id || '#' || t.iteration)`,
  reason: `'the step that waited for it was cut off'`,
});

/** Cancels the runs that these steps have started, if the step was stopped while it waited. */
export async function cancelChildrenOfCut(pool: Pool, steps: readonly DueWake[]): Promise<void> {
  await pool.query(CANCEL_CHILDREN_OF_CUT, [
    steps.map(({ runId }) => runId),
    steps.map(({ stepId }) => stepId),
    steps.map(({ iteration }) => iteration),
  ]);
}

const CANCEL_BY_MESSAGE = cancelRuns({
  which: `r.id IN (
    SELECT w.run_id FROM unnest($1::text[], $2::text[]) AS t (run_id, step_id)
      JOIN run_waits w ON w.run_id = t.run_id AND w.step_id = t.step_id AND w.iteration = '' AND w.message_id IS NOT NULL AND w.due_at IS NOT NULL)`,
  reason: `(SELECT 'cancelled by the message ' || min(w.message_id) FROM run_waits w
    WHERE w.run_id = r.id AND w.step_id = ANY ($2) AND w.message_id IS NOT NULL AND w.due_at IS NOT NULL)`,
});

/** Cancels runs whose cancellation trigger has taken a message. */
export async function cancelByMessage(pool: Pool, watches: readonly DueWake[]): Promise<void> {
  await pool.query(CANCEL_BY_MESSAGE, [watches.map(({ runId }) => runId), watches.map(({ stepId }) => stepId)]);
}
