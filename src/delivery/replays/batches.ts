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

/** Starts the Temporal workflow of a replay, or finds it running. Throws when Temporal is out of reach. */
type StartReplay = (replay: PendingReplay) => Promise<void>;

/** See `StartReplay`. A workflow that closed without finishing may be started again: it goes on where the record stands. */
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

/** Every kind of replay, by its Temporal workflow type. kind.ts says how a further one is added. */
const KINDS: Readonly<Record<ReplayKind, ReplayKindDefinition>> = {
  replayDeadLetters: deadLetterReplays,
  replayMessages: messageReplays,
  retryDeliveries: deliveryRetries,
};

// Replays of one kind that one look of a worker starts; the next look, 2 s later, starts the next ones.
const STARTED_AT_ONCE = 10;
// A batch is never more than a second's worth, so that a longer wait, with a second of grace, is of a clock that was set back.
const LONGEST_WAIT = "interval '2 seconds'";
// SQL: the rest of the wait after the last batch, whichever worker has made it. Read once the row is locked.
const WAIT = `CASE WHEN next_batch_at <= clock_timestamp() + ${LONGEST_WAIT}
  THEN greatest(0, extract(epoch FROM next_batch_at - clock_timestamp()) * 1000)::float8 ELSE 0 END AS "waitMs"`;
// SQL: a replay that has not ended.
const IS_OPEN = `status IN ('pending', 'running')`;

/** How far a replay is. `waitMs` until its next batch. */
export type Progress = { isFinished: boolean; waitMs: number; counts: Readonly<Record<string, number>> };

// Only REPLAY_KINDS has these keys, so the list is complete.
const kinds = Object.keys(REPLAY_KINDS) as ReplayKind[];

/**
 * Makes the next batch of a replay and stores its progress, in one transaction. A repeated call goes on behind the last one, and two at a
 * time take turns on the row: none of them makes a batch before the wait after the last one is over. A replay that has ended, by a
 * caller's cancel too, is finished and counts nothing.
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

/** Stops a replay before its next batch. False when it had already ended. */
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

// `finished_at IS NULL` is the condition of an index.
const PENDING = kinds
  .map(
    (kind) =>
      `(SELECT '${kind}' AS kind, id FROM ${KINDS[kind].table} WHERE status = 'pending' AND finished_at IS NULL
       ORDER BY id LIMIT ${STARTED_AT_ONCE})`,
  )
  .join(' UNION ALL ');

/** Replays of all kinds that nobody has started yet. A second start is harmless, because the Temporal workflow's id is derived. */
export async function pendingReplays(pool: Pool): Promise<PendingReplay[]> {
  const { rows } = await pool.query<PendingReplay>({ name: 'pending_replays', text: PENDING });
  return rows;
}

/** A replay whose Temporal workflow is gone is started again where it stands. One that a person ended is cancelled. */
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

/** Temporal's store is new and knows no earlier carrier: every running replay waits to be started again where it stands. */
export async function abandonReplays(pool: Pool): Promise<void> {
  for (const { table } of Object.values(KINDS))
    await pool.query(`UPDATE ${table} SET status = 'pending' WHERE status = 'running'`);
}
