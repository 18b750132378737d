import type { Pool, PoolClient } from 'pg';
import {
  type PendingReplay,
  REPLAY_KINDS,
  type ReplayKind,
  type ReplayInput,
  replayWorkflowId,
} from '../../kernel/contract/replays.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import type { Carriers } from '../../platform/temporal/starts.ts';
import type { ReplayDependencies, ReplayKindDefinition } from './kind.ts';
import { deadLetterReplays } from './dead-letter-store.ts';
import { deliveryRetries } from './delivery-store.ts';
import { messageReplays } from './message-store.ts';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';

/** Starts the Temporal workflow of a replay, unless it is already running. Throws if Temporal is unreachable. */
type StartReplay = (replay: PendingReplay) => Promise<void>;

/**
 * Creates `StartReplay`. A workflow that closed before its replay was finished can be started again; it continues from
 * the stored position.
 */
export function createStartReplay(client: Client, { taskQueue }: { taskQueue: string }): StartReplay {
  return async ({ kind, id }) => {
    const { idField, summary } = REPLAY_KINDS[kind];
    try {
      await client.workflow.start<(input: ReplayInput) => Promise<unknown>>(kind, {
        workflowId: replayWorkflowId({ kind, id }),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue,
        args: [{ [idField]: id }],
        staticSummary: summary,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}

/** Every kind of replay, by its Temporal workflow type. See kind.ts for how to add one. */
const KINDS: Readonly<Record<ReplayKind, ReplayKindDefinition>> = {
  replayDeadLetters: deadLetterReplays,
  replayMessages: messageReplays,
  retryDeliveries: deliveryRetries,
};

// Number of replays of one kind that a worker starts per poll. The next poll, 2 s later, starts the next ones.
const STARTED_AT_ONCE = 10;
// A batch is at most one second's worth, so a longer wait (with a second of tolerance) means that the clock was set
// back.
const LONGEST_WAIT = "interval '2 seconds'";
// SQL: the rest of the wait after the last batch, whichever worker ran it. Read after the row is locked.
const WAIT = `CASE WHEN next_batch_at <= clock_timestamp() + ${LONGEST_WAIT}
  THEN greatest(0, extract(epoch FROM next_batch_at - clock_timestamp()) * 1000)::float8 ELSE 0 END AS "waitMs"`;
// SQL: a replay that is not finished.
const IS_OPEN = `status IN ('pending', 'running')`;

/** Progress of a replay. `waitMs` is the time until its next batch. */
export type Progress = { isFinished: boolean; waitMs: number; counts: Readonly<Record<string, number>> };

// `as`: REPLAY_KINDS has exactly these keys.
const kinds = Object.keys(REPLAY_KINDS) as ReplayKind[];

/**
 * Runs the next batch of a replay and stores its progress, in one transaction. A repeated call continues after the last
 * batch, and concurrent calls wait for each other on the row, so no batch starts before the wait after the previous one
 * is over. For a replay that has ended, for example by cancelling, it returns `isFinished` with counts of 0.
 */
export async function runBatch(
  deps: ReplayDependencies,
  { kind, id, carrier, now }: PendingReplay & { carrier: string; now: Date },
): Promise<Progress> {
  const { table, counts: counted, prepare } = KINDS[kind];
  const make = await prepare(deps, { id, now });
  return inTransaction(deps.pool, async (connection) => {
    const taken = await connection.query<{ waitMs: number } & Record<string, number>>(
      `UPDATE ${table} SET status = 'running', carrier = $2 WHERE id = $1 AND ${IS_OPEN}
       RETURNING ${WAIT}, ${counted.join()}`,
      [id, carrier],
    );
    const [found] = taken.rows;
    if (found === undefined)
      return { isFinished: true, waitMs: 0, counts: Object.fromEntries(counted.map((count) => [count, 0])) };
    const { waitMs: left, ...before } = found;
    if (left > 0) return { isFinished: false, waitMs: Math.ceil(left), counts: before };
    const batch = await make(connection);
    if (batch.result === 'notNow') return { isFinished: false, waitMs: batch.waitMs, counts: before };
    if (batch.result === 'cancelled') {
      await connection.query(`UPDATE ${table} SET status = 'cancelled', finished_at = now() WHERE id = $1`, [id]);
      return { isFinished: true, waitMs: 0, counts: before };
    }
    const { counts, last, isLast, waitMs } = batch;
    const added = counted.map((count, index) => `${count} = ${count} + $${index + 5}`);
    const stored = await connection.query<Record<string, number>>(
      `UPDATE ${table} SET position = coalesce($2, position), ${added.join()},
         next_batch_at = clock_timestamp() + nullif($4::float8, 0) * interval '1 millisecond',
         status = CASE WHEN $3 THEN 'completed' ELSE status END, finished_at = CASE WHEN $3 THEN now() END
       WHERE id = $1 RETURNING ${counted.join()}`,
      [id, last, isLast, waitMs, ...counted.map((count) => counts[count] ?? 0)],
    );
    return { isFinished: isLast, waitMs, counts: stored.rows[0] ?? before };
  });
}

/** Stops a replay before its next batch. Returns false if it had already ended. */
export async function cancelReplay(
  db: PoolClient,
  { table, environmentId, id, now }: { table: string; environmentId: string; id: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE ${table} SET status = 'cancelled', finished_at = $3 WHERE id = $1 AND environment_id = $2 AND ${IS_OPEN}`,
    [id, environmentId, now],
  );
  return rowCount === 1;
}

// `finished_at IS NULL` is the condition of a partial index.
const PENDING = kinds
  .map(
    (kind) =>
      `(SELECT '${kind}' AS kind, id FROM ${KINDS[kind].table} WHERE status = 'pending' AND finished_at IS NULL
       ORDER BY id LIMIT ${STARTED_AT_ONCE})`,
  )
  .join(' UNION ALL ');

/**
 * Returns replays of all kinds that have not been started. Starting one twice is harmless, because its Temporal
 * workflow id is derived from its own id.
 */
export async function pendingReplays(pool: Pool): Promise<PendingReplay[]> {
  const { rows } = await pool.query<PendingReplay>({ name: 'pending_replays', text: PENDING });
  return rows;
}

/**
 * Restarts replays whose Temporal workflow is gone; they continue from the stored position. If a person ended the
 * workflow, the replay is cancelled.
 */
export async function restartLostReplays({
  pool,
  carriers,
}: {
  pool: Pool;
  carriers: Pick<Carriers, 'stateOf'>;
}): Promise<void> {
  for (const { table } of Object.values(KINDS)) {
    const { rows } = await pool.query<{ id: string; carrier: string }>(
      `SELECT id, carrier FROM ${table} WHERE finished_at IS NULL AND status = 'running' AND carrier IS NOT NULL`,
    );
    for (const { id, carrier } of rows) {
      const state = await carriers.stateOf(carrier);
      if (state === 'running') continue;
      await pool.query(
        `UPDATE ${table} SET status = $2, finished_at = CASE WHEN $2 = 'cancelled' THEN now() END
         WHERE id = $1 AND status = 'running'`,
        [id, state === 'cancelled' ? 'cancelled' : 'pending'],
      );
    }
  }
}

/**
 * For a new Temporal store, which knows none of the earlier workflows: marks every running replay as pending, so that
 * it is started again from its stored position.
 */
export async function abandonReplays(pool: Pool): Promise<void> {
  for (const { table } of Object.values(KINDS))
    await pool.query(`UPDATE ${table} SET status = 'pending' WHERE status = 'running'`);
}
