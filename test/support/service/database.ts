import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { expect } from '@jest/globals';
import pg, { type Pool } from 'pg';
import { createDatabase, type Database } from '../../../src/platform/db/client.ts';
import { failureCodes } from '../../../src/platform/db/failures.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { createTenants, type Tenants } from '../../../src/platform/db/tenants.ts';
import { TENANT_ROLE } from '../../../src/platform/db/tenant-role.ts';
import { TEST_DATABASE_PREFIX } from './database-names.ts';
import { waitFor } from '../check/wait-for.ts';
import { hasFailedTest } from '../check/failures.ts';
import { PATIENT } from './patience.ts';
import { currentRun } from './run.ts';

export type TestDatabase = {
  name: string;
  url: string;
  db: Database;
  pool: Pool;
  tenants: Tenants;
  /** Disconnects and drops it once all tests of the file are done. If one has failed it is kept, and its name is printed. */
  drop(): Promise<void>;
};

const IN_USE = '55006';

/** Creates a database for this file: a clone of the migrated template (about 50 ms). Drop it in afterAll. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = currentRun();
  const file = basename(expect.getState().testPath ?? 'unknown')
    .replace('.test.ts', '')
    .replaceAll(/[^a-z0-9]+/g, '_');
  // PostgreSQL cuts names at 63 bytes.
  const name = `${TEST_DATABASE_PREFIX}${file.slice(0, 40)}_${randomBytes(4).toString('hex')}`;
  await waitFor(`the database ${name}`, () => cloned(adminUrl, name, template));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  if (process.env['POSTHORN_TEST_ROW_SECURITY'] === 'off')
    await order(url.href, `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${TENANT_ROLE}`);
  const db = createDatabase(url.href, PATIENT);
  const pool = createPool(url.href, { max: 10, ...PATIENT });
  const drop = async (): Promise<void> => {
    await Promise.all([db.$disconnect(), pool.end()]);
    if (hasFailedTest()) process.stderr.write(`A test failed: its database ${name} is kept\n`);
    else await order(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { name, url: url.href, db, pool, tenants: createTenants({ db, pool }, PATIENT), drop };
}

/** PostgreSQL refuses while another session is connected to the template, such as autovacuum, which ends late on a busy machine. */
async function cloned(adminUrl: string, name: string, template: string): Promise<boolean> {
  try {
    await order(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
    return true;
  } catch (failure) {
    if (failureCodes(failure).codes.includes(IN_USE)) return false;
    throw failure;
  }
}

async function order(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
