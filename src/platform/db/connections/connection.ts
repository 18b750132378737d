import pg, { type Client, type Pool } from 'pg';
import { RememberingClient } from './lost-connections.ts';
import { SESSION_MARK } from './own-session.ts';
import { PooledClient } from './pooled-client.ts';

// A request that gets no connection within this time fails (UNAVAILABLE), so that its caller does not wait.
export const CONNECT_TIMEOUT_MS = 5_000;
// Keep-alive notices a dead peer behind a silent network. Otherwise the next query would hang.
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Settings of every PostgreSQL connection. */
type ConnectionSettings = {
  connectionString: string;
  application_name: string;
  connectionTimeoutMillis: number;
  keepAlive: boolean;
  keepAliveInitialDelayMillis: number;
};

/** Longest wait for a connection of a pool, ms. Default 5,000. */
export type PoolPatience = { connectWithinMs?: number };

/**
 * A pool of at most `max` connections to `url`, with sessions in UTC. Its callers need not listen for the end of a connection: queries
 * on a broken one are rejected, and it is never given to the next caller. End it with `pool.end()`.
 */
export const openPool = (url: string, max: number, patience: PoolPatience = {}): Pool =>
  safePool({ ...connectionSettings(url, patience), max, Client: RememberingClient });

/** The same where `url` is PgBouncer, which gives a connection another session for each transaction. */
export const openPoolBehindPooler = (url: string, max: number, patience: PoolPatience = {}): Pool =>
  safePool({ ...connectionSettings(url, patience), connectionString: url, max, Client: PooledClient });

function safePool(config: pg.PoolConfig): Pool {
  const pool = new pg.Pool(config);
  pool.on('error', ignoreEnd);
  pool.on('connect', (client) => client.on('error', ignoreEnd));
  pool.on('release', (_failure, client) => {
    // 57P01 rejects a COMMIT before the socket closes, and Prisma gives such a connection back as a good one. The next caller gets
    // only a session outside of a transaction whose last statement is answered.
    if (client.getTransactionStatus() !== 'I') void client.end();
  });
  return pool;
}

/** One session of its own, for a lock that ends with the session. Connect it, and end it with `client.end()`. */
export function openSession(url: string, patience: PoolPatience = {}): Client {
  const client = new RememberingClient(connectionSettings(url, patience));
  client.on('error', ignoreEnd);
  return client;
}

// PostgreSQL may end any session at any moment: a restart, an administrator, a failover. pg rejects the queries of such a connection,
// and also emits `error`, which ends the process if nobody listens.
const ignoreEnd = (): void => undefined;

function connectionSettings(
  url: string,
  { connectWithinMs = CONNECT_TIMEOUT_MS }: PoolPatience = {},
): ConnectionSettings {
  return {
    connectionString: withOwnSettings(url),
    application_name: 'posthorn',
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

/** Prisma's pg adapter reads a timestamptz as if its offset were zero: any other session time zone would shift every time. */
const OWN_SETTINGS = `-c TimeZone=UTC -c ${SESSION_MARK.name}=${SESSION_MARK.value}`;

function withOwnSettings(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', given === null ? OWN_SETTINGS : `${given} ${OWN_SETTINGS}`);
  return address.href;
}
