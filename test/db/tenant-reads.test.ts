import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Tenant } from '../../src/db/row-security/tenant-query.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let live: Required<Tenant>;
let inTest: Required<Tenant>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const tenantOf = async (key: string): Promise<Required<Tenant>> => {
    const { id } = await make(posthorn, key, '/v1/channels', { name: key === posthorn.keys.live ? 'live' : 'test' });
    const include = { environment: { include: { app: true } } };
    const { environmentId, environment } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id }, include });
    return { environmentId, organisationId: environment.app.organisationId };
  };
  live = await tenantOf(posthorn.keys.live);
  inTest = await tenantOf(posthorn.keys.test);
});
afterAll(() => posthorn.stop());

/** Nothing but the policies of the tables narrows this. */
const namesSeenBy = (tenant: Tenant): Promise<string[]> =>
  posthorn.deps.tenants.read(tenant, async (reader) => {
    const rows = await reader.channel.findMany({ where: { kind: 'user' }, orderBy: { id: 'asc' } });
    return rows.map(({ name }) => name);
  });

test('tenants that read at the same time see their own rows alone, with more readers than connections', async () => {
  const tenants = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? live : inTest));
  const seen = await Promise.all(tenants.map(namesSeenBy));
  expect(seen).toEqual(tenants.map((tenant) => [tenant === live ? 'live' : 'test']));
});

test('one without an environment sees no rows of any', async () => {
  expect(await namesSeenBy({ organisationId: live.organisationId })).toEqual([]);
});

test('a reader leaves no connection behind that is still a tenant', async () => {
  await namesSeenBy(inTest);
  const roles = await Promise.all(
    Array.from(
      { length: 20 },
      () => posthorn.deps.db.$queryRaw<{ role: string; environment: string | null }[]>`
      SELECT current_user = session_user AS "role", current_setting('posthorn.environment', true) AS "environment"`,
    ),
  );
  for (const [row] of roles) expect([row?.role, row?.environment ?? '']).toEqual([true, '']);
});

test('a statement that fails rejects, and the next one on a fresh connection is the tenant’s again', async () => {
  const failing = posthorn.deps.tenants.read(live, (reader) => reader.$queryRawUnsafe('SELECT 1 / 0'));
  await expect(failing).rejects.toThrow('division by zero');
  const denied = posthorn.deps.tenants.read(live, (reader) => reader.$queryRawUnsafe('SELECT * FROM sessions'));
  await expect(denied).rejects.toThrow('permission denied');
  expect(await namesSeenBy(live)).toEqual(['live']);
});

test('a connection keeps the statements of its readers, a hundred at most, and answers all others as well', async () => {
  const ask = <Row>(text: string, ...values: number[]): Promise<Row[]> =>
    posthorn.deps.tenants.read(live, (reader) => reader.$queryRawUnsafe<Row[]>(text, ...values));
  const eleven = Array.from({ length: 11 }, (_, index) => index + 1);
  const sum = eleven.map((value) => `$${value}::int`).join('+');
  expect(await ask(`SELECT ${sum} AS sum`, ...eleven)).toEqual([{ sum: 66 }]);
  for (let number = 0; number < 120; number += 1) expect(await ask(`SELECT ${number} AS number`)).toEqual([{ number }]);
  // One reader after the other is on one connection.
  const kept = await ask<{ statement: string }>(
    `SELECT statement FROM pg_prepared_statements WHERE name ~ '^as-tenant'`,
  );
  expect(kept.length).toBeGreaterThan(50);
  expect(kept.length).toBeLessThanOrEqual(100);
  expect(kept.filter(({ statement }) => statement.includes(sum))).toEqual([]);
});

test('work that asks nothing as its tenant is a fault', async () => {
  await expect(posthorn.deps.tenants.read(live, async () => 1)).rejects.toThrow('asked nothing as its tenant');
});
