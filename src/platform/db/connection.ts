import pg, { type Client, type ClientBase, type Pool } from 'pg';

// An ECONNREFUSED may come from anything: a mail server, Redis, a receiver. Those of PostgreSQL are recognised by where they were
// caught.
const lost = new WeakSet<object>();

/** How many levels of causes are searched. */
const MAX_CAUSES = 8;

/** Whether an error, or one of its causes, broke a connection to PostgreSQL or prevented one. */
export function isOfLostConnection(error: unknown): boolean {
  let at = error;
  for (let depth = 0; typeof at === 'object' && at !== null && depth < MAX_CAUSES; depth += 1) {
    if (lost.has(at)) return true;
    at = Reflect.get(at, 'cause');
  }
  return false;
}

const remember = (error: unknown): void => {
  if (typeof error === 'object' && error !== null) lost.add(error);
};

type Connected = Parameters<pg.Client['connect']>[0];

/** A client that remembers which errors concern its connection (isOfLostConnection). */
class RememberingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // Runs before the queries of this connection are rejected with the same error.
    this.on('error', remember);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (callback === undefined)
      return super.connect().catch((error: unknown) => {
        remember(error);
        throw error;
      });
    super.connect((error: Error | null) => {
      remember(error);
      // `as`: pg's two overloads of the callback, with and without an error, are one function.
      (callback as (error: Error | null, client?: pg.Client) => void)(error, this);
    });
    return undefined;
  }
}

// A request that gets no connection within this time fails (UNAVAILABLE), so that its caller does not wait for long.
export const CONNECT_TIMEOUT_MS = 5_000;
// Keep-alive detects a dead peer when the network drops packets silently. Otherwise the next query would hang.
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Options of every PostgreSQL connection. */
type ConnectionSettings = {
  connectionString: string;
  application_name: string;
  connectionTimeoutMillis: number;
  keepAlive: boolean;
  keepAliveInitialDelayMillis: number;
};

/** Longest wait for a connection from a pool, in ms. Default: 5,000. */
export type PoolPatience = { connectWithinMs?: number };

/**
 * Opens a pool of up to `max` connections to `url`, with sessions in UTC. Callers need not listen for the end of a connection: queries
 * on a broken one are rejected, and it is never given to the next caller. Close it with `pool.end()`.
 */
export const openPool = (url: string, max: number, patience: PoolPatience = {}): Pool =>
  safePool({ ...connectionSettings(url, patience), max, Client: RememberingClient });

/** Opens a pool if `url` is PgBouncer, which gives a connection another session for each transaction. */
export const openPoolBehindPooler = (url: string, max: number, patience: PoolPatience = {}): Pool =>
  safePool({ ...connectionSettings(url, patience), connectionString: url, max, Client: PooledClient });

function safePool(config: pg.PoolConfig): Pool {
  const pool = new pg.Pool(config);
  pool.on('error', ignoreEnd);
  pool.on('connect', (client) => client.on('error', ignoreEnd));
  pool.on('release', (_failure, client) => {
    // 57P01 rejects a COMMIT before the socket closes, and Prisma returns such a connection as a good one. The next caller gets only a
    // session that is outside a transaction and has replied to its last statement.
    if (client.getTransactionStatus() !== 'I') void client.end();
  });
  return pool;
}

/** Opens a separate session, for a lock that ends with the session. Connect it, and close it with `client.end()`. */
export function openSession(url: string, patience: PoolPatience = {}): Client {
  const client = new RememberingClient(connectionSettings(url, patience));
  client.on('error', ignoreEnd);
  return client;
}

// PostgreSQL may end any session at any moment: a restart, an administrator, a failover. pg rejects the queries of such a connection,
// and also emits `error`, which ends the process if there is no listener.
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

/** A setting that every connection requests. If it is missing, a pooler has dropped the settings. */
const SESSION_MARK = { name: 'posthorn.session', value: 'own' } as const;

/** Prisma's pg adapter reads a timestamptz as if its offset were zero: any other session time zone would shift every time. */
const OWN_SETTINGS = `-c TimeZone=UTC -c ${SESSION_MARK.name}=${SESSION_MARK.value}`;

function withOwnSettings(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', given === null ? OWN_SETTINGS : `${given} ${OWN_SETTINGS}`);
  return address.href;
}

/** SQL: whether the session has the settings that its connection requested. */
export const HAS_OWN_SETTINGS = `current_setting('${SESSION_MARK.name}', true) IS NOT DISTINCT FROM '${SESSION_MARK.value}'`;

/**
 * The session lacks the settings of its connection, as with PgBouncer and `ignore_startup_parameters`: times would be read in another
 * time zone, and prepared statements and locks would belong to another session.
 */
export class DroppedSettingsError extends Error {
  readonly code = 'SETTINGS_DROPPED';

  constructor() {
    super('The session lacks the settings of its connection');
  }
}

/** Throws DroppedSettingsError if there is a pooler in between. */
export async function refuseDroppedSettings(session: Pick<ClientBase | Pool, 'query'>): Promise<void> {
  const { rows } = await session.query<{ isOwn: boolean }>(`SELECT ${HAS_OWN_SETTINGS} AS "isOwn"`);
  if (rows[0]?.isOwn !== true) throw new DroppedSettingsError();
}

/** pg's own method, missing from its types, for the parameters of a session start. */
type Beginning = { getStartupConf(): Record<string, string> };

/**
 * A client for PgBouncer in transaction mode. PgBouncer rejects `options`, with which other connections set the time zone, but supports
 * the parameter TimeZone for each of its clients.
 */
export class PooledClient extends RememberingClient {
  getStartupConf(): Record<string, string> {
    // `as`: the version of pg is pinned, and pgbouncer.test.ts checks the time zone.
    const { getStartupConf } = RememberingClient.prototype as unknown as Beginning;
    return { ...getStartupConf.call(this), TimeZone: 'UTC' };
  }
}

// Every hot statement finds rows by index, a few at a time. With stale statistics (a fresh database, a sudden backlog) the planner may
// read whole tables for each group instead: a broadcast to 5,000 new subscriptions took 12 ms per delivery instead of 0.3. These
// settings rule that out.
const INDEX_ONLY = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'];

/** Opens a pool for the hot statements (publish, claim, record) with up to `max` connections. Close it with `pool.end()`. */
export const createPool = (url: string, { max, ...patience }: { max: number } & PoolPatience): Pool =>
  openPool(withOptions(url), max, patience);

function withOptions(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  const ours = INDEX_ONLY.map((setting) => `-c ${setting}`);
  address.searchParams.set('options', [...(given === null ? [] : [given]), ...ours].join(' '));
  return address.href;
}
