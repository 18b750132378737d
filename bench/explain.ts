import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../src/platform/db/generated/client.ts';
import { joinBegin } from '../src/platform/db/tenant-query.ts';
import { createTenants } from '../src/platform/db/tenants.ts';
import { readBacklog, readOldestDue, readTables, readWaiting } from '../src/platform/observe/figure-queries.ts';
import { lookQueries } from './growth-looks.ts';
import { hotQueries, listQueries, type Query, type Questioned } from './growth-queries.ts';
import { createExplainingPool, type Executed } from './plans.ts';

// A named statement may turn generic at its sixth execution: the plans after that are the ones that stay.
const EXECUTIONS = 8;
/** 8 MiB: no query may read a larger table from end to end; reading a smaller one is a remark. */
const BIG_PAGES = 1_000;

/** A query by name, and every execution of its statements. */
export type Asked = { name: string; executed: Executed[] };

/**
 * Runs each query several times and keeps every plan it used. With `onFailure`, a query that fails (a list has 30 s) is reported there
 * and not run again; without it the failure is thrown.
 */
export async function explain(
  url: string,
  environmentId: string,
  { executions = EXECUTIONS, onFailure }: { executions?: number; onFailure?: (name: string) => void } = {},
): Promise<Asked[]> {
  let executed: Executed[] = [];
  const pool = createExplainingPool(url, (one) => executed.push(one));
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  joinBegin(pool);
  const tenants = createTenants({ db, pool });
  const { app } = await db.environment.findUniqueOrThrow({ where: { id: environmentId }, include: { app: true } });
  const caller = { organisationId: app.organisationId, environmentId };
  const questioned: Questioned = { db, pool, environmentId, asCaller: (list) => tenants.list(caller, list) };
  const metricQueries: Query[] = [
    { name: 'metrics: backlog', run: () => readBacklog(pool) },
    { name: 'state of the service: oldest due delivery', run: () => readOldestDue(pool) },
    { name: 'metrics: scheduled messages', run: () => readWaiting(pool) },
    { name: 'metrics: tables', run: () => readTables(pool) },
  ];
  const queries: Query[] = [
    ...metricQueries,
    ...(await listQueries(questioned)),
    ...lookQueries(questioned),
    ...hotQueries(questioned),
  ];
  const asked = new Map<string, Executed[]>(queries.map(({ name }) => [name, []]));
  const failed = new Set<string>();
  // Alternating: each query meets the rows that the one before has left, as in service.
  for (let count = 1; count <= executions; count += 1) {
    for (const { name, run } of queries) {
      if (failed.has(name)) continue;
      executed = [];
      try {
        await run();
      } catch (failure) {
        if (onFailure === undefined) throw failure;
        failed.add(name);
        onFailure(name);
      }
      asked.get(name)?.push(...executed);
    }
  }
  await db.$disconnect();
  await pool.end();
  return [...asked].map(([name, all]) => ({ name, executed: all }));
}

/** Returns the tables that are too big to be read from end to end. */
export async function bigTables(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relpages > $1`,
    [BIG_PAGES],
  );
  return new Set(rows.map(({ name }) => name));
}
