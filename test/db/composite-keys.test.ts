import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

/**
 * Entries of the audit log had no key to their environment, and refusals and inspected requests one to the id of their webhook or inspector
 * alone: a row could have been stored that names one of another tenant.
 */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Columns that say whose a row is. */
const TENANT = ['organisation_id', 'app_id', 'environment_id'];

const ENGINE =
  'the statements of publishing and delivering hold it: a key costs 7 to 30 % of a publish (docs/decisions.md)';
const FILTER = 'a filter as its caller gave it, which counts with the environment alone';
const CLAIM = 'told by a request that anybody may send: it says what the request claims';
const OUTLIVES = 'retention removes what it names first';
/** Columns without a composite key, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  'bulk_replays.channel_id': FILTER,
  'bulk_replays.message_id': FILTER,
  'bulk_replays.subscription_id': FILTER,
  'bulk_replays.workflow_id': FILTER,
  'dead_letters.channel_id': ENGINE,
  'dead_letters.delivery_id': ENGINE,
  'dead_letters.message_id': ENGINE,
  'dead_letters.run_id': ENGINE,
  'dead_letters.subscription_id': ENGINE,
  'dead_letters.workflow_id': ENGINE,
  'deliveries.channel_id': ENGINE,
  'deliveries.message_id': ENGINE,
  'deliveries.subscription_id': ENGINE,
  'heard_messages.message_id': ENGINE,
  'inbound_events.inbound_webhook_id': ENGINE,
  'inbound_events.message_id': ENGINE,
  'inbound_receipts.inbound_webhook_id': ENGINE,
  'inbound_receipts.message_id': ENGINE,
  'inbound_refusals.message_id': ENGINE,
  'inbound_stat_parts.inbound_webhook_id': ENGINE,
  'inspected_requests.message_id': CLAIM,
  'inspected_requests.subscription_id': CLAIM,
  'messages.channel_id': ENGINE,
  'messages.only_subscription_id': ENGINE,
  'publisher_ids.channel_id': ENGINE,
  'publisher_ids.message_id': ENGINE,
  'run_key_spans.run_id': OUTLIVES,
  'run_keys.run_id': OUTLIVES,
  'run_stat_parts.workflow_id': OUTLIVES,
  'run_waits.message_id': OUTLIVES,
  'runs.channel_id': OUTLIVES,
  'runs.message_id': OUTLIVES,
  'runs.parent_run_id': OUTLIVES,
  'scheduled_messages.channel_id': ENGINE,
  'stat_parts.channel_id': ENGINE,
  'stat_parts.subscription_id': ENGINE,
};

type Table = { name: string; columns: string[] };
type Key = { table: string; columns: string[]; named: string; isValid: boolean };

const tablesOf = async (pool: Pool): Promise<Table[]> =>
  (
    await pool.query<Table>(
      `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped GROUP BY 1 ORDER BY 1`,
    )
  ).rows;

const keysOf = async (pool: Pool): Promise<Key[]> =>
  (
    await pool.query<Key>(
      `SELECT k.conrelid::regclass::text AS "table", k.confrelid::regclass::text AS named, k.convalidated AS "isValid",
         (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) AS columns
       FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace`,
    )
  ).rows;

const isTenants = ({ columns }: Table): boolean => columns.some((column) => TENANT.includes(column));
const plural = (name: string): string => (name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`);

/** The tenants' table whose row a column names by its own name: `only_subscription_id` names one of `subscriptions`. */
function namedBy(column: string, tables: readonly Table[]): string | undefined {
  if (!column.endsWith('_id')) return undefined;
  const words = column.slice(0, -'_id'.length).split('_');
  const names = words.map((_, index) => plural(words.slice(index).join('_')));
  return tables.find((table) => names.includes(table.name) && isTenants(table))?.name;
}

/** Columns of tenants' tables that could name a row of another tenant, as `table.column`, and two tenant columns as `table.a+b`. */
async function withoutCompositeKey(pool: Pool): Promise<string[]> {
  const [tables, keys] = [await tablesOf(pool), await keysOf(pool)];
  const tenants = new Set(tables.filter(isTenants).map(({ name }) => name));
  return tables.filter(isTenants).flatMap(({ name, columns }) => {
    const own = keys.filter(({ table }) => table === name);
    const whose = columns.filter((column) => TENANT.includes(column));
    const pairs = whose.flatMap((one, index) =>
      whose
        .slice(index + 1)
        .filter((other) => !own.some((key) => key.columns.includes(one) && key.columns.includes(other)))
        .map((other) => `${name}.${one}+${other}`),
    );
    const naming = columns.filter(
      (column) =>
        !TENANT.includes(column) &&
        (namedBy(column, tables) !== undefined ||
          own.some((key) => key.columns.includes(column) && tenants.has(key.named))),
    );
    const isHeld = (column: string): boolean =>
      own.some((key) => key.columns.includes(column) && key.columns.some((each) => TENANT.includes(each)));
    return [...pairs, ...naming.filter((column) => !isHeld(column)).map((column) => `${name}.${column}`)];
  });
}

test('every column that names a row of a tenant has a key with the tenant in it, but for those with a reason', async () => {
  const names = (await tablesOf(database.pool)).filter(isTenants).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['apps', 'environments', 'audit_entries', 'channels', 'runs']));
  const found = await withoutCompositeKey(database.pool);
  expect(found.toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
});

test('every key holds the rows that were there before it', async () => {
  expect((await keysOf(database.pool)).filter(({ isValid }) => !isValid)).toEqual([]);
});

describe('a table is found that', () => {
  test.each([
    ['has two tenants', 'environment_id text, app_id text', 'planted.environment_id+app_id'],
    ['names by an id alone', 'environment_id text, by_whom text REFERENCES channels (id)', 'planted.by_whom'],
    ['names without any key', 'environment_id text, last_run_id text', 'planted.last_run_id'],
  ])('%s', async (_, columns, fault) => {
    await database.pool.query(`CREATE TABLE planted (${columns})`);
    try {
      expect(await withoutCompositeKey(database.pool)).toContain(fault);
    } finally {
      await database.pool.query('DROP TABLE planted');
    }
  });

  test('has its key without the tenant', async () => {
    await database.pool.query(
      `ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_organisation_id_environment_id_fkey;
       ALTER TABLE inspected_requests DROP CONSTRAINT inspected_requests_environment_id_inspector_id_fkey,
         ADD CONSTRAINT alone FOREIGN KEY (inspector_id) REFERENCES inspectors (id)`,
    );
    try {
      expect(await withoutCompositeKey(database.pool)).toEqual(
        expect.arrayContaining(['audit_entries.organisation_id+environment_id', 'inspected_requests.inspector_id']),
      );
    } finally {
      await database.pool.query(
        `ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_organisation_id_environment_id_fkey
           FOREIGN KEY (organisation_id, environment_id) REFERENCES environments (organisation_id, id);
         ALTER TABLE inspected_requests DROP CONSTRAINT alone, ADD CONSTRAINT inspected_requests_environment_id_inspector_id_fkey
           FOREIGN KEY (environment_id, inspector_id) REFERENCES inspectors (environment_id, id) ON DELETE CASCADE`,
      );
    }
  });
});

describe('PostgreSQL refuses', () => {
  const FOREIGN_KEY = { code: '23503' };
  beforeAll(async () => {
    for (const tenant of ['a', 'b'])
      for (const text of [
        `INSERT INTO organisations (id, name, updated_at) VALUES ('org_${tenant}', 'o', now())`,
        `INSERT INTO apps (id, organisation_id, name, slug, updated_at) VALUES ('app_${tenant}', 'org_${tenant}', 'a', 'a', now())`,
        // As a process of an earlier release makes it.
        `INSERT INTO environments (id, app_id, kind) VALUES ('env_${tenant}', 'app_${tenant}', 'live')`,
        `INSERT INTO channels (id, environment_id, name, updated_at) VALUES ('chn_${tenant}', 'env_${tenant}', 'c', now())`,
        `INSERT INTO workflows (id, environment_id, name, created_at, updated_at) VALUES ('wfl_${tenant}', 'env_${tenant}', 'w', now(), now())`,
        `INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type) VALUES ('run_${tenant}', 'env_${tenant}', 'wfl_${tenant}', 1, 'manual')`,
        `INSERT INTO inspectors (id, position, environment_id, name, created_at, updated_at)
         VALUES ('ins_${tenant}', '${tenant}', 'env_${tenant}', 'i', now(), now())`,
        `INSERT INTO inbound_webhooks (id, position, environment_id, channel_id, name, scheme, settings, created_at, updated_at)
         VALUES ('whk_${tenant}', '${tenant}', 'env_${tenant}', 'chn_${tenant}', 'w', 'body', '{}', now(), now())`,
      ])
        await database.pool.query(text);
  });

  const inserting: Record<string, (tenant: string, named: string, id: string) => string> = {
    'an audit entry of the environment': (tenant, named, id) =>
      `INSERT INTO audit_entries (id, organisation_id, environment_id, action, target_id, position, entry, hash)
       VALUES ('${id}', 'org_${tenant}', 'env_${named}', 'a', 't', 1, '{}', '')`,
    'an approval of the workflow': (tenant, named, id) =>
      `INSERT INTO approvals (id, environment_id, workflow_id, run_id, step_id, iteration, title, approvers, created_at, expires_at)
       VALUES ('${id}', 'env_${tenant}', 'wfl_${named}', 'run_${tenant}', 's', '', 't', '{}', now(), now())`,
    'a refusal of the webhook': (tenant, named, id) =>
      `INSERT INTO inbound_refusals (id, environment_id, inbound_webhook_id, reason, detail, address, bytes, refused_at, expires_at)
       VALUES ('${id}', 'env_${tenant}', 'whk_${named}', 'r', 'd', 'a', 1, now(), now())`,
    'a request to the inspector': (tenant, named, id) =>
      `INSERT INTO inspected_requests (id, environment_id, inspector_id, method, path, headers, body, bytes, answer_status, answer_delay_ms,
         verdict, arrived_at, expires_at)
       VALUES ('${id}', 'env_${tenant}', 'ins_${named}', 'GET', '/', '[]', '', 0, 200, 0, 'unsigned', now(), now())`,
    'an environment of the app': (tenant, named, id) =>
      `INSERT INTO environments (id, organisation_id, app_id, kind) VALUES ('${id}', 'org_${tenant}', 'app_${named}', 'test')`,
  };
  test.each(Object.entries(inserting))('%s of another tenant, and takes one of its own', async (_, insert) => {
    await expect(database.pool.query(insert('a', 'b', 'x'))).rejects.toMatchObject(FOREIGN_KEY);
    expect((await database.pool.query(insert('a', 'a', 'y'))).rowCount).toBe(1);
  });

  test('to take an environment out of the audit log: entries are never changed, and it stays as long as they do', async () => {
    // PostgreSQL 18 has a code of its own for RESTRICT.
    await expect(database.pool.query(`DELETE FROM environments WHERE id = 'env_a'`)).rejects.toMatchObject({
      code: expect.stringMatching(/^23(503|001)$/),
    });
    await expect(
      database.pool.query(`UPDATE apps SET organisation_id = 'org_b', slug = 'b' WHERE id = 'app_a'`),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(23503|42501)$/) });
    const { rows } = await database.pool.query('SELECT environment_id FROM audit_entries');
    expect(rows).toEqual([{ environment_id: 'env_a' }]);
  });
});
