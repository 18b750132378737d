import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { untilSettled } from './invariants.ts';
import { prepareLongJobs } from '../make/long-jobs.ts';
import { faultsOf } from '../make/mixed-flow-faults.ts';
import { idsIn, type MixedFlow, startMixedFlow } from '../make/mixed-flow.ts';
import { deathsOf, type PosthornProcess } from '../service/processes.ts';
import type { createScenes } from '../make/scene.ts';
import { waitFor } from './wait-for.ts';

/** The service that a drill runs against. `pool` connects to the database as the service does. */
export type Drilled = {
  urlOf: () => string;
  key: string;
  pool: Pool;
  client: Client;
  scenes: ReturnType<typeof createScenes>;
  /** Processes that must not exit. */
  processes: readonly PosthornProcess[];
};

// Counted from the moment at which the server accepts connections and writes again, on top of the time that the same work takes without
// a fault. On a machine that runs twenty other programs, that alone is ten seconds.
const HEALED_WITHIN_MS = 15_000;
// Plain publishes, publishes with ids and keys, an erasure, the worker's scheduled messages and its replay: most wait at once.
const CAUGHT_AT_LEAST = 4;
/** Name of the session that blocks writes while a fault begins. */
export const DRILL_SESSION = 'drill';

/**
 * Causes one fault in the middle of everything that callers and workers do at the same time. `fault` is called while several of their
 * transactions wait for one lock (unless `inTransactions` is false: a process that drains waits for such a lock too), and returns once
 * the server is back. Waits until everything works again and the work in progress has finished; throws if it does not recover. Returns
 * the faults found afterwards, as sentences, and how many requests had an unknown outcome.
 */
export async function drill(
  drilled: Drilled,
  fault: () => Promise<void>,
  { inTransactions = true, isProxied = false }: { inTransactions?: boolean; isProxied?: boolean } = {},
): Promise<{ faults: string[]; inDoubt: number }> {
  const jobs = await prepareLongJobs(drilled, drilled.scenes);
  const flow = await startMixedFlow(drilled, drilled.scenes);
  try {
    const begunAt = Date.now();
    await flow.worksSince(begunAt);
    const calmMs = Date.now() - begunAt;
    const { archive, end } = await jobs.begin();

    await (inTransactions ? inTheMiddle(drilled.pool, fault) : fault());
    await flow.worksSince(Date.now(), calmMs + HEALED_WITHIN_MS);

    await flow.stop();
    const undone = await end();
    await untilAllHasEnded(drilled, flow, archive.channelId);
    await flow.abandon();
    const answers = Object.values(flow.parts).flatMap(({ requests }) => requests.flatMap(({ tries }) => tries));
    const unknown = flow.orders.recorder.publications.filter(({ outcome }) => outcome === 'unknown');
    return {
      faults: [...endingsOf(drilled), ...(await faultsOf(flow, drilled.pool, archive, { isProxied })), ...undone],
      inDoubt: answers.filter(({ isInDoubt }) => isInDoubt).length + unknown.length,
    };
  } catch (failure) {
    throw new Error([String(failure), ...endingsOf(drilled)].join('\n'), { cause: failure });
  } finally {
    await flow.abandon();
  }
}

/**
 * Blocks every write of a message while `fault` begins, so that publishes, erasures and replays are inside a transaction then, at least
 * one caller's publish among them. A fault that ends sessions one by one spares DRILL_SESSION.
 */
async function inTheMiddle(pool: Pool, fault: () => Promise<void>): Promise<void> {
  const lock = await pool.connect();
  try {
    await lock.query(`SET application_name = '${DRILL_SESSION}'; BEGIN; LOCK TABLE messages IN EXCLUSIVE MODE`);
    await waitFor('transactions to wait for the lock', async () => {
      const { rows } = await pool.query<{ waiting: number; publishing: number }>(WAITING);
      const [{ waiting, publishing } = { waiting: 0, publishing: 0 }] = rows;
      return waiting >= CAUGHT_AT_LEAST && publishing > 0;
    });
    await fault();
  } finally {
    lock.release(true);
  }
}

// SQL: only plain publishes have a statement that is the first of its transaction (the two times are equal then), and only they wait
// without limit: others and erasures give up the lock after a while and may be between two attempts when the fault comes. Do not run it
// inside a transaction, which sees pg_stat_activity as it was at the first query.
const WAITING = `
  SELECT count(*)::int AS waiting,
    count(*) FILTER (WHERE a.xact_start = a.query_start AND a.query LIKE '%published AS%INSERT INTO messages%')::int AS publishing
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE NOT l.granted AND l.relation = 'messages'::regclass
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function untilAllHasEnded({ pool, client }: Drilled, flow: MixedFlow, archivedChannelId: string): Promise<void> {
  const { orders, invoices, persons, parts, streams } = flow;
  const scheduled = parts.scheduled.requests.flatMap(idsIn);
  await waitFor('all that was scheduled to be published', async () => {
    const { rowCount } = await pool.query('SELECT FROM messages WHERE id = ANY ($1::text[])', [scheduled]);
    return rowCount === scheduled.length;
  });
  for (const { channelId } of [orders, invoices, persons, { channelId: archivedChannelId }])
    await untilSettled(pool, client, channelId);
  const { rowCount } = await pool.query('SELECT FROM messages WHERE channel_id = $1', [orders.channelId]);
  await waitFor('the streams to show all', () => streams.every(({ ids }) => ids.length >= (rowCount ?? 0)));
}

const LAST_LINES = 3;

const endingsOf = ({ processes }: Drilled): string[] =>
  processes.flatMap((each) =>
    deathsOf(each).map((death) => [death, ...each.output().trimEnd().split('\n').slice(-LAST_LINES)].join('\n')),
  );
