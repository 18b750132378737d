import type { Pool } from 'pg';
import type { CeilingCommands, Target } from './ceiling-process.ts';
import { payloadOf } from './growth-fill.ts';
import { startHelper } from './helper.ts';
import { readUsage } from './processes.ts';

/** Cost of one message: CPU ms of PostgreSQL, CPU ms of the service's own code, and bytes of write-ahead log. */
export type Cost = { cpuMs: number; ownMs: number; walBytes: number };

const CONCURRENCY = 32;

/** Bytes of write-ahead log so far. */
export async function walOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
  );
  return rows[0]?.bytes ?? 0;
}

/**
 * Cost of each of the messages that `work` counts, behind a checkpoint. `own` is the process that runs the service's code; without it
 * this one does, whose children are PostgreSQL's.
 */
export async function costOf(
  pool: Pool,
  { postgres, own }: { postgres: number; own?: number },
  work: () => Promise<number>,
): Promise<Cost> {
  const read = () => {
    const usage = readUsage({ postgres, own: own ?? 0 });
    const { user, system } = process.cpuUsage();
    return { cpuMs: usage.postgres.cpuMs, ownMs: own === undefined ? (user + system) / 1_000 : usage.own.cpuMs };
  };
  await pool.query('CHECKPOINT');
  const [wal, used] = [await walOf(pool), read()];
  const count = await work();
  const [walThen, usedThen] = [await walOf(pool), read()];
  return {
    cpuMs: (usedThen.cpuMs - used.cpuMs) / count,
    ownMs: (usedThen.ownMs - used.ownMs) / count,
    walBytes: (walThen - wal) / count,
  };
}

/**
 * Publishes, loads and records so many messages by the service's own code, to every channel by turns, with one delivery each. `server`
 * is the one that the database of `pool` is on.
 */
export async function takeIn(
  pool: Pool,
  server: { pid: number; url: string },
  { environmentId, count, payloadBytes }: { environmentId: string; count: number; payloadBytes: number },
): Promise<Cost> {
  const { rows: places } = await pool.query<Target>(
    `SELECT channel_id AS "channelId", event_types[1] AS "eventType" FROM subscriptions ORDER BY random()`,
  );
  const helper = await startHelper<CeilingCommands>('ceiling-process');
  try {
    return await costOf(pool, { postgres: server.pid, own: helper.pid }, async () => {
      await helper.ask('postgres', {
        databaseUrl: server.url,
        environmentId,
        places,
        holder: 'inc_bench',
        count,
        concurrency: CONCURRENCY,
        payload: payloadOf(payloadBytes),
      });
      return count;
    });
  } finally {
    await helper.stop();
  }
}
