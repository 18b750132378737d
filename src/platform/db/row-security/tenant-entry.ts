import { AsyncLocalStorage } from 'node:async_hooks';
import pg, { type Pool, type QueryConfig } from 'pg';
import { createQueryAs, type Tenant } from './tenant-query.ts';
import { TENANT_ROLE } from './tenant-role.ts';

/** A transaction of Prisma's that is about to begin as a tenant. */
type Entry = { readonly begin: string; hasBegun: boolean };

// Prisma begins a transaction by itself, with a BEGIN of its own. Which tenant it is for follows the call through Prisma to `joinBegin`.
// Nothing is kept between calls.
const entries = new AsyncLocalStorage<Entry>();

/** Reading as a tenant, each statement by itself. */
type Reading = { readonly tenant: Tenant; statements: number };
const readings = new AsyncLocalStorage<Reading>();

/**
 * Makes connections of Prisma's pool take the tenant together with BEGIN, as one message: role and settings cost no round trip.
 */
export function joinBegin(pool: Pool): void {
  // `as`: of the many forms of this call, too, Prisma uses that one.
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
    // `as`: pg has many forms of this call, and Prisma uses the one with a config and a promise.
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

// SQL, several statements in one message, which take no parameters. All of it ends with the transaction, so that connections may be shared
// behind PgBouncer.
export const beginAs = ({ organisationId, environmentId = '' }: Tenant): string =>
  [
    'BEGIN',
    `SET LOCAL ROLE ${TENANT_ROLE}`,
    `SET LOCAL posthorn.organisation = ${pg.escapeLiteral(organisationId)}`,
    `SET LOCAL posthorn.environment = ${pg.escapeLiteral(environmentId)}`,
  ].join(';');

/** Runs `work`, whose first transaction of Prisma begins as the tenant. `hasEntered` says whether it has. */
export function enter<T>(tenant: Tenant, work: (hasEntered: () => boolean) => Promise<T>): Promise<T> {
  const entry: Entry = { begin: beginAs(tenant), hasBegun: false };
  return entries.run(entry, () => work(() => entry.hasBegun));
}

/** Runs `work`, each of whose statements outside of transactions is the tenant's. Throws when none of them was. */
export function readAsTenant<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  const reading: Reading = { tenant, statements: 0 };
  return readings.run(reading, async () => {
    const result = await work();
    if (reading.statements === 0) throw new Error('A reading has asked nothing as its tenant');
    return result;
  });
}
