import pg from 'pg';
import type { Connection, Pool, QueryConfig, QueryResult } from 'pg';
import { PooledClient } from './connection.ts';
import { TENANT_ROLE } from './tenant-role.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose rows a transaction may see. Without an environment it sees no rows that belong to one. */
export type Tenant = { organisationId: string; environmentId?: string };

// SQL: all settings end with the transaction, as with SET LOCAL.
const ENTER = `SELECT set_config('role', '${TENANT_ROLE}', true), set_config('posthorn.organisation', $1, true),
  set_config('posthorn.environment', $2, true)`;

const ENTER_NAME = 'become-tenant';
// Behind PgBouncer, the next transaction has another session, which does not have the statement names of this one.
const UNNAMED = '';
// Connections that have prepared ENTER by its name. A connection is closed if a statement on it fails, including this one.
const prepared = new WeakSet<Wire>();

/** The part of pg's connection that sends the messages of the extended protocol. */
type Wire = {
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly string[] }): void;
  execute(message: object): void;
};
type Config = QueryConfig & { rowMode?: 'array' };
type Done = (failure: Error | undefined, result: QueryResult) => void;

/** pg's own query, as far as it is missing from pg's types. */
type Statement = new (
  config: Config & { queryMode: 'extended' },
  done: Done,
) => {
  submit(connection: Connection): void;
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
};
// `as`: these are methods of pg, whose version is pinned, and row-security.test.ts checks their effect in PostgreSQL.
const Statement = pg.Query as unknown as Statement;

/** How a statement is sent; `name` is its name as a prepared statement. */
type Entered = { tenant: Tenant; entry: typeof ENTER_NAME | typeof UNNAMED; name: string | undefined };

/**
 * A statement that runs as a tenant, in one round trip. Two statements are sent before one Sync, and PostgreSQL makes one transaction
 * of them (Extended Query, in the protocol chapter). The first one switches to the role, and its result is dropped.
 */
class TenantStatement extends Statement {
  private hasEntered = false;
  private readonly tenant: Tenant;
  private readonly entry: Entered['entry'];

  constructor({ tenant, entry, name }: Entered, config: Config, done: Done) {
    super({ ...config, ...(name !== undefined && { name }), queryMode: 'extended' }, done);
    this.tenant = tenant;
    this.entry = entry;
  }

  override prepare(connection: Wire): void {
    const { organisationId, environmentId = '' } = this.tenant;
    if (this.entry === UNNAMED || !prepared.has(connection)) connection.parse({ name: this.entry, text: ENTER });
    prepared.add(connection);
    connection.bind({ statement: this.entry, values: [organisationId, environmentId] });
    connection.execute({});
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.hasEntered) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.hasEntered) super.handleCommandComplete(message, connection);
    else this.hasEntered = true;
  }
}

// A named statement is parsed once per connection, and PostgreSQL keeps its plan: with a table's policies, planning takes longer than
// reading a row. A list has a separate text for each set of filters. A kept plan takes about 50 kB of each connection, so texts beyond
// this limit are not named. A statement with many values has an IN of ids, and a separate text for each number of them. PgBouncer does
// not support names.
const MAX_NAMES = 100;
const MAX_VALUES = 10;

/** Runs statements, each as its tenant, on connections of the pool. */
function createQueryAs(pool: Pool): (tenant: Tenant, config: Config) => Promise<QueryResult> {
  const names = new Map<string, string>();
  const nameOf = ({ text, values = [] }: Config): string | undefined => {
    if (values.length > MAX_VALUES) return undefined;
    if (!names.has(text) && names.size < MAX_NAMES) names.set(text, `as-tenant-${names.size}`);
    return names.get(text);
  };
  return async (tenant, config) => {
    const connection = await pool.connect();
    let failure: Error | undefined;
    try {
      return await new Promise<QueryResult>((resolve, reject) => {
        const done: Done = (problem, result) => (problem == null ? resolve(result) : reject(problem));
        const entered: Entered =
          connection instanceof PooledClient
            ? { tenant, entry: UNNAMED, name: undefined }
            : { tenant, entry: ENTER_NAME, name: nameOf(config) };
        connection.query(new TenantStatement(entered, config, done));
      });
    } catch (problem) {
      failure = problem instanceof Error ? problem : new Error('A statement failed', { cause: problem });
      throw problem;
    } finally {
      connection.release(failure);
    }
  };
}

/** A Prisma transaction that is about to begin as a tenant. */
type Entry = { readonly begin: string; hasBegun: boolean };

// Prisma begins transactions itself, with its own BEGIN. The tenant follows the call through Prisma to `joinBegin`; nothing is kept
// between calls.
const entries = new AsyncLocalStorage<Entry>();

/** A read as a tenant, with each statement separate. */
type Reading = { readonly tenant: Tenant; statements: number };
const readings = new AsyncLocalStorage<Reading>();

/**
 * Makes connections of Prisma's pool switch to the tenant together with BEGIN, in one message, so that role and settings cost no round
 * trip.
 */
export function joinBegin(pool: Pool): void {
  // `as`: of the overloads of this call, Prisma uses that one.
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>;
  const queryAs = createQueryAs(pool);
  const asReader = (...given: unknown[]): Promise<unknown> => {
    const reading = readings.getStore();
    if (reading === undefined) return query(...given);
    reading.statements += 1;
    return queryAs(reading.tenant, given[0] as QueryConfig);
  };
  pool.query = asReader as typeof pool.query;
  pool.on('connect', (client) => {
    // `as`: of pg's overloads of this call, Prisma uses the one with a config and a promise.
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    const joined = (...given: unknown[]): Promise<unknown> => {
      const entry = entries.getStore();
      if (entry === undefined || entry.hasBegun || !isBegin(given[0])) return query(...given);
      entry.hasBegun = true;
      return query(entry.begin).then((results) => (Array.isArray(results) ? (results[0] as unknown) : results));
    };
    client.query = joined as typeof client.query;
  });
}

const isBegin = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'text' in given && given.text === 'BEGIN';

// SQL, several statements in one message, without parameters. Everything ends with the transaction, so that connections can be shared
// behind PgBouncer.
export const beginAs = ({ organisationId, environmentId = '' }: Tenant): string =>
  [
    'BEGIN',
    `SET LOCAL ROLE ${TENANT_ROLE}`,
    `SET LOCAL posthorn.organisation = ${pg.escapeLiteral(organisationId)}`,
    `SET LOCAL posthorn.environment = ${pg.escapeLiteral(environmentId)}`,
  ].join(';');

/** Runs `work`, whose first Prisma transaction begins as the tenant. `hasEntered` says whether it has. */
export function enter<T>(tenant: Tenant, work: (hasEntered: () => boolean) => Promise<T>): Promise<T> {
  const entry: Entry = { begin: beginAs(tenant), hasBegun: false };
  return entries.run(entry, () => work(() => entry.hasBegun));
}

/** Runs `work`, in which each statement outside a transaction runs as the tenant. Throws if there was none. */
export function readAsTenant<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  const reading: Reading = { tenant, statements: 0 };
  return readings.run(reading, async () => {
    const result = await work();
    if (reading.statements === 0) throw new Error('A read ran no statement as its tenant');
    return result;
  });
}
