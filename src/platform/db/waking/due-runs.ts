import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../client.ts';

/** Workers LISTEN on this channel for runs of workflows. */
export const DUE_RUNS_CHANNEL = 'posthorn_runs';

/** SQL, a SET list: the run `r` waits for a worker in its next round. */
export const NEXT_ROUND = `status = 'pending', round = r.round + 1, due_at = now(), carrier = NULL, holder = NULL`;

type Notifying = Pick<Database, '$queryRaw'> | Pick<Pool, 'query'>;

/** Wakes every worker once the surrounding transaction, if there is one, commits: a run is to be started or cancelled. */
export async function wakeForRuns(db: Notifying): Promise<void> {
  if ('query' in db) await db.query('SELECT pg_notify($1, $2)', [DUE_RUNS_CHANNEL, '']);
  else await db.$queryRaw`SELECT pg_notify(${DUE_RUNS_CHANNEL}, '')::text`;
}

// A worker that has many runs to begin loses nothing by it: it looks again by itself.
const BETWEEN_MS = 50;

/**
 * Wakes workers behind the transactions of publishes: at once after a calm moment, else once for all of those within a moment. Nothing
 * waits for it, and workers look by themselves if it is lost.
 */
export function createRunsWaker(pool: Pool, log: Logger): () => void {
  let isResting = false;
  let isWanted = false;
  const rested = (): void => {
    isResting = false;
    if (isWanted) wake();
  };
  const wake = (): void => {
    isResting = true;
    isWanted = false;
    wakeForRuns(pool)
      .catch((error: unknown) => log.debug({ err: error }, 'workers were not woken for runs; they look by themselves'))
      .finally(() => setTimeout(rested, BETWEEN_MS).unref());
  };
  return () => {
    if (isResting) isWanted = true;
    else wake();
  };
}
