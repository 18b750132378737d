import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { diff } from '../support/check/schema-diff/schema-diff.ts';
import { type IdKind, ID_PREFIXES, isId, timeOfId } from '../../src/kernel/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const count = 10_000;

describe('the migrations', () => {
  test('make exactly the tables of prisma/schema.prisma', async () => {
    expect(await diff(database.url, 'database', 'schema')).toBe('');
  });

  test('are told apart from the schema by one changed column or partial index', async () => {
    await database.pool.query('ALTER TABLE channels DROP COLUMN description');
    await database.pool.query('DROP INDEX deliveries_first_tries');
    try {
      const difference = await diff(database.url, 'database', 'schema');
      expect(difference).toContain('ADD COLUMN     "description" TEXT');
      expect(difference).toContain('CREATE INDEX "deliveries_first_tries"');
    } finally {
      await database.pool.query('ALTER TABLE channels ADD COLUMN description text');
      await database.pool.query(
        'CREATE INDEX deliveries_first_tries ON deliveries (subscription_id, due_at, id) WHERE due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts = 0',
      );
    }
    expect(await diff(database.url, 'database', 'schema')).toBe('');
  });

  test('apply nothing to a database that has them, however many processes try at once', async () => {
    expect(await Promise.all([migrate(database.url), migrate(database.url)])).toEqual([[], []]);
    const { rows } = await database.pool.query(
      'SELECT migration_name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations ORDER BY started_at',
    );
    expect(rows).toEqual([
      { migration_name: '0001_init', isFinished: true },
      { migration_name: '0002_bursts', isFinished: true },
      { migration_name: '0003_health', isFinished: true },
      { migration_name: '0004_unfinished', isFinished: true },
      { migration_name: '0005_channel_schemas', isFinished: true },
      { migration_name: '0006_idempotency', isFinished: true },
      { migration_name: '0007_stream', isFinished: true },
      { migration_name: '0008_retention', isFinished: true },
      { migration_name: '0009_message_replays', isFinished: true },
      { migration_name: '0010_scheduled', isFinished: true },
      { migration_name: '0011_filters', isFinished: true },
      { migration_name: '0012_test_messages', isFinished: true },
      { migration_name: '0013_claims', isFinished: true },
      { migration_name: '0014_encryption_keys', isFinished: true },
      { migration_name: '0015_circuit_breaker', isFinished: true },
      { migration_name: '0016_never_null', isFinished: true },
      { migration_name: '0017_list_filters', isFinished: true },
      { migration_name: '0018_hops', isFinished: true },
      { migration_name: '0019_concurrency', isFinished: true },
      { migration_name: '0020_filter_units', isFinished: true },
      { migration_name: '0021_machine_credentials', isFinished: true },
      { migration_name: '0022_apps', isFinished: true },
      { migration_name: '0023_people', isFinished: true },
      { migration_name: '0024_audit', isFinished: true },
      { migration_name: '0025_row_security', isFinished: true },
      { migration_name: '0026_second_factors', isFinished: true },
      { migration_name: '0027_single_sign_on', isFinished: true },
      { migration_name: '0028_inbound_webhooks', isFinished: true },
      { migration_name: '0029_workflows', isFinished: true },
      { migration_name: '0030_runs', isFinished: true },
      { migration_name: '0031_run_dead_letters', isFinished: true },
      { migration_name: '0032_secrets', isFinished: true },
      { migration_name: '0033_connections', isFinished: true },
      { migration_name: '0034_workflow_schedules', isFinished: true },
      { migration_name: '0035_waits', isFinished: true },
      { migration_name: '0036_approvals', isFinished: true },
      { migration_name: '0037_oauth', isFinished: true },
      { migration_name: '0038_flow', isFinished: true },
      { migration_name: '0039_children', isFinished: true },
      { migration_name: '0040_run_key_spans', isFinished: true },
      { migration_name: '0041_shared_connections', isFinished: true },
      { migration_name: '0042_owners', isFinished: true },
      { migration_name: '0043_dead_letter_errors', isFinished: true },
      { migration_name: '0044_stats', isFinished: true },
      { migration_name: '0045_request_versions', isFinished: true },
      { migration_name: '0047_inspectors', isFinished: true },
      { migration_name: '0048_slow_deliveries', isFinished: true },
      { migration_name: '0050_marks', isFinished: true },
      { migration_name: '0055_saved_views', isFinished: true },
      { migration_name: '0056_audit_heads', isFinished: true },
      { migration_name: '0057_pending_runs', isFinished: true },
      { migration_name: '0062_run_restarts', isFinished: true },
      { migration_name: '0064_worker_machines', isFinished: true },
      { migration_name: '0065_composite_keys', isFinished: true },
      { migration_name: '0065_composite_keys_checked', isFinished: true },
      { migration_name: '0066_filtered_runs', isFinished: true },
      { migration_name: '0069_replay_of_deliveries', isFinished: true },
      { migration_name: '0074_heard_by_environment', isFinished: true },
      { migration_name: '0075_rate_of_bulk_replays', isFinished: true },
      { migration_name: '0076_bulk_retries', isFinished: true },
      { migration_name: '0078_inbound_receipts', isFinished: true },
      { migration_name: '0079_makers_of_versions', isFinished: true },
      { migration_name: '0083_run_figures', isFinished: true },
      { migration_name: '0084_inbound_figures', isFinished: true },
      { migration_name: '0085_replays_of_deliveries', isFinished: true },
      { migration_name: '0086_replays_of_runs', isFinished: true },
      { migration_name: '0087_rows_of_replays', isFinished: true },
      { migration_name: '0088_addresses_of_credentials', isFinished: true },
      { migration_name: '0089_tests_of_connections', isFinished: true },
      { migration_name: '0091_temporal_of_workers', isFinished: true },
      { migration_name: '0096_max_retry_after', isFinished: true },
    ]);
  });

  test('sort everything that holds an id as bytes', async () => {
    const { rows } = await database.pool.query(
      `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
         AND (column_name = 'id' OR column_name LIKE '%\\_id' OR column_name IN ('holder', 'carrier', 'position', 'replayed_by', 'requested_by'))`,
    );
    expect(rows).toEqual([]);
  });
});

describe('posthorn_id', () => {
  test.each(Object.entries(ID_PREFIXES) as [IdKind, string][])('makes an id of a %s', async (kind, prefix) => {
    const { rows } = await database.pool.query<{ id: string }>('SELECT posthorn_id($1) AS id', [prefix]);
    expect(isId(kind, rows[0]?.id ?? '')).toBe(true);
  });

  test(`makes ${count} valid ids, each once, that carry the present time and sort as they were made`, async () => {
    const before = Date.now();
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT posthorn_id('dlv') AS id FROM generate_series(1, ${count})`,
    );
    const after = Date.now();
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id) => !isId('delivery', id))).toEqual([]);
    expect(new Set(ids).size).toBe(count);
    const times = ids.map((id) => timeOfId('delivery', id)?.getTime() ?? 0);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(after);
    // Two ids of one microsecond may change places; ids of different milliseconds never do.
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  test('posthorn_time gives the time that an id carries', async () => {
    const { rows } = await database.pool.query<{ id: string; at: Date }>(
      `SELECT id, posthorn_time(id) AS at FROM (SELECT posthorn_id('dlv') AS id FROM generate_series(1, 1000)) AS made`,
    );
    expect(rows.filter(({ id, at }) => timeOfId('delivery', id)?.getTime() !== at.getTime())).toEqual([]);
  });

  test('carries version 7 and the variant of RFC 9562', async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT posthorn_id('dlv') AS id FROM generate_series(1, 1000)`,
    );
    // Behind the time: 0111 and one bit; ten bits; one bit, 10, two bits.
    for (const { id } of rows) expect(id.slice(4)).toMatch(/^[0-9a-z]{10}[ef][0-9a-z]{2}[89abrstv][0-9a-z]{12}$/);
  });
});
