import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { untilSettled } from './invariants.ts';
import { prepareLongJobs } from './long-jobs.ts';
import { faultsOf } from './mixed-flow-faults.ts';
import { idsIn, type MixedFlow, startMixedFlow } from './mixed-flow.ts';
import type { PosthornProcess } from './processes.ts';
import type { createScenes } from './scene.ts';
import { waitFor } from './wait-for.ts';

/** The service that a drill runs against. `pool` leads to the database as the service reaches it. */
export type Drilled = {
  urlOf: () => string;
  key: string;
  pool: Pool;
  client: Client;
  scenes: ReturnType<typeof createScenes>;
  /** Processes that may not end. */
  processes: readonly PosthornProcess[];
};

// From the moment on that the server takes connections and writes again, and beyond what the same takes without a fault: on a
// machine that does twenty other things that alone is ten seconds.
const HEALED_WITHIN_MS = 15_000;
// Plain publishes, units under ids and keys, an erasure, the worker's scheduled messages and its replay: most wait at once.
const CAUGHT_AT_LEAST = 4;

/**
 * One fault in the middle of everything that callers and workers do at the same time: `fault` is called while several of their
 * transactions wait for one lock, and returns once the server is back. Waits until all works again and what had begun has ended;
 * throws for what does not heal. Returns what is wrong afterwards, as sentences, and how many answers were in doubt.
 */
export async function drill(
  drilled: Drilled,
  fault: () => Promise<void>,
): Promise<{ faults: string[]; inDoubt: number }> {
  const jobs = await prepareLongJobs(drilled, drilled.scenes);
  const flow = await startMixedFlow(drilled, drilled.scenes);
  try {
    const begunAt = Date.now();
    await flow.worksSince(begunAt);
    const calmMs = Date.now() - begunAt;
    const { archive, end } = await jobs.begin();

    await inTheMiddle(drilled.pool, fault);
    await flow.worksSince(Date.now(), calmMs + HEALED_WITHIN_MS);

    await flow.stop();
    const undone = await end();
    await untilAllHasEnded(drilled, flow, archive.channelId);
    await flow.abandon();
    const answers = Object.values(flow.parts).flatMap(({ requests }) => requests.flatMap(({ tries }) => tries));
    const unknown = flow.orders.recorder.publications.filter(({ outcome }) => outcome === 'unknown');
    return {
      faults: [...endingsOf(drilled), ...(await faultsOf(flow, drilled.pool, archive)), ...undone],
      inDoubt: answers.filter(({ isInDoubt }) => isInDoubt).length + unknown.length,
    };
  } catch (failure) {
    throw new Error([String(failure), ...endingsOf(drilled)].join('\n'), { cause: failure });
  } finally {
    await flow.abandon();
  }
}

/** Nobody can write a message while `fault` begins: whoever publishes, erases or replays is within a transaction then. */
async function inTheMiddle(pool: Pool, fault: () => Promise<void>): Promise<void> {
  const lock = await pool.connect();
  try {
    await lock.query('BEGIN; LOCK TABLE messages IN EXCLUSIVE MODE');
    await waitFor('transactions to wait for the lock', async () => {
      const { rowCount } = await lock.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'messages'::regclass
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return (rowCount ?? 0) >= CAUGHT_AT_LEAST;
    });
    await fault();
  } finally {
    lock.release(true);
  }
}

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
  processes
    .filter((each) => each.hasEnded())
    .map((each) => `a process has ended:\n${each.output().trimEnd().split('\n').slice(-LAST_LINES).join('\n')}`);
