import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Database } from './client.ts';

/** Workers LISTEN on this channel. */
export const DUE_CHANNEL = 'posthorn_due';

type Notifying = Pick<Database, '$queryRaw'> | Pick<Pool, 'query'>;

/**
 * Wakes every worker once the surrounding transaction, if any, commits: a delivery is due now, or a replay waits to be started.
 * `lateMs`: rows may already have been due for this long, and no other notification reports them. Triggers of the tables notify about
 * rows that are more than 0.4 s late when they are written, and about subscriptions that accept attempts again. Publishes use
 * `createWaker` instead. The cast: Prisma cannot read a `void` column.
 */
export async function wakeWorkers(db: Notifying, { lateMs }: { lateMs?: number } = {}): Promise<void> {
  const notice = lateMs === undefined ? '' : `late ${Math.ceil(lateMs)}`;
  if ('query' in db) await db.query('SELECT pg_notify($1, $2)', [DUE_CHANNEL, notice]);
  else await db.$queryRaw`SELECT pg_notify(${DUE_CHANNEL}, ${notice})::text`;
}

// Workers check a second time for rows that have been due for 2 s (src/delivery/queue/loop/claims/due-rows.ts). A commit that took
// longer needs a notification.
const LATE_MS = 1_500;

/**
 * Wakes workers outside the transactions of publishes, because a NOTIFY inside would make all commits queue for one lock. Nothing waits
 * for it. One notification is in progress at a time, and workers poll if it is lost. `tookMs`: duration of the commit. If a disk or a
 * standby has delayed it, its rows are older than workers look for.
 */
export function createWaker(pool: Pool, log: Logger): (tookMs: number) => void {
  let isWaking = false;
  return (tookMs) => {
    if (isWaking && tookMs < LATE_MS) return;
    isWaking = true;
    wakeWorkers(pool, tookMs < LATE_MS ? {} : { lateMs: tookMs })
      .catch((error: unknown) => log.debug({ err: error }, 'could not wake the workers; they poll'))
      .finally(() => {
        isWaking = false;
      });
  };
}

/**
 * Content of a notification that does more than wake: rows of a lane and a subscription that have been due since a PostgreSQL time; a
 * subscription that accepts attempts again; publishes that were late.
 */
export type DueNotice =
  | { lane: 'first' | 'retry'; subscriptionId: string; since: Date }
  | { opened: string }
  | { lateMs: number };

/** Parses a notification of `wakeWorkers` or the triggers; undefined if it only wakes. */
export function readDueNotice(notice: string): DueNotice | undefined {
  const [kind, name, seconds, ...more] = notice.split(' ');
  if (name === undefined || name === '' || more.length > 0) return undefined;
  if (kind === 'open' && seconds === undefined) return { opened: name };
  if (kind === 'late' && seconds === undefined && Number.isFinite(Number(name))) return { lateMs: Number(name) };
  if ((kind !== 'first' && kind !== 'retry') || seconds === undefined) return undefined;
  const since = new Date(Number(seconds) * 1_000);
  return Number.isNaN(since.getTime()) ? undefined : { lane: kind, subscriptionId: name, since };
}

/** A polling loop: polls repeatedly, and at once when woken, until `stop`, which waits for the poll in progress. */
export type Looking = { wake(): void; stop(): Promise<void> };

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Milliseconds until the next poll. With `isDeaf` nothing wakes the loop earlier, because it would only find the same again. */
export type Rest = { ms: number; isDeaf?: boolean };

/** `what` names, for the log, what waits while polls fail. */
export function startLooking({ log, what, look }: { log: Logger; what: string; look: () => Promise<Rest> }): Looking {
  let isStopping = false;
  let isWoken = false;
  let wakeUp = (): void => {};

  const rest = ({ ms, isDeaf = false }: Rest): Promise<void> =>
    new Promise((resolve) => {
      if (isStopping || (isWoken && !isDeaf)) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        if (isDeaf && !isStopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
  const tryToLook = (): Promise<Rest> =>
    look().catch((error: unknown) => {
      log.warn({ err: error }, `${what} are delayed; this worker will try again in a second`);
      return { ms: PAUSE_AFTER_FAILURE_MS };
    });
  const run = async (): Promise<void> => {
    while (!isStopping) {
      isWoken = false;
      await rest(await tryToLook());
    }
  };

  const running = run();
  return {
    wake() {
      isWoken = true;
      wakeUp();
    },
    async stop() {
      isStopping = true;
      wakeUp();
      await running;
    },
  };
}

/** Workers LISTEN on this channel for runs of workflows. */
export const DUE_RUNS_CHANNEL = 'posthorn_runs';

/** SQL, a SET list: the run `r` waits for a worker in its next round. */
export const NEXT_ROUND = `status = 'pending', round = r.round + 1, due_at = now(), carrier = NULL, holder = NULL`;

/** Wakes every worker once the surrounding transaction, if any, commits: a run is to be started or cancelled. */
export async function wakeForRuns(db: Notifying): Promise<void> {
  if ('query' in db) await db.query('SELECT pg_notify($1, $2)', [DUE_RUNS_CHANNEL, '']);
  else await db.$queryRaw`SELECT pg_notify(${DUE_RUNS_CHANNEL}, '')::text`;
}

// A worker with many runs to start loses nothing: it polls again by itself.
const BETWEEN_MS = 50;

/**
 * Wakes workers after the transactions of publishes: at once after a quiet moment, otherwise once for all within the interval. Nothing
 * waits for it, and workers poll if it is lost.
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
      .catch((error: unknown) => log.debug({ err: error }, 'could not wake the workers for runs; they poll'))
      .finally(() => setTimeout(rested, BETWEEN_MS).unref());
  };
  return () => {
    if (isResting) isWanted = true;
    else wake();
  };
}
