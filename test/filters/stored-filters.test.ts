import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readMigrations } from '../../src/platform/db/migrations/migrations.ts';
import { createFilters } from '../../src/messaging/filters/filters.ts';
import { UNITS_OF_A_CHANNEL } from '../../src/messaging/filters/expressions/units.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { dearFilter } from '../support/make/dear-filters.ts';

const NESTED = 'payload.a.all(x, payload.a.all(y, x + y > -1))';
const MAPPED = 'payload.a.map(x, x.b) == []';

let database: TestDatabase;
/** As a release leaves it whose filters were others, and not counted yet: every migration is there, and rows. */
beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query(`INSERT INTO organisations (id, name, updated_at) VALUES ('org_1', 'o', now());
    INSERT INTO apps (id, organisation_id, name, slug, updated_at) VALUES ('app_1', 'org_1', 'a', 'a', now());
    INSERT INTO environments (id, app_id, kind) VALUES ('env_1', 'app_1', 'live')`);
  for (const id of ['chn_a', 'chn_b'])
    await database.pool.query(
      `INSERT INTO channels (id, environment_id, name, status, updated_at) VALUES ($1, 'env_1', 'c', 'active', now())`,
      [id],
    );
});
afterEach(() => database.drop());

type Stored = { channelId?: string; filter: string | null; status?: string; deletedAt?: Date };
async function insert(
  id: string,
  { channelId = 'chn_a', filter, status = 'active', deletedAt }: Stored,
): Promise<void> {
  await database.pool.query(
    `INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, status, event_types, filter, max_retries,
       initial_delay, max_delay, backoff_multiplier, deleted_at, status_changed_at, updated_at)
     VALUES ($1, 'env_1', $2, 's', 'https://example.com/', $3, '{}', $4, 1, 1000, 1000, 2, $5, '2020-01-01', '2020-01-01')`,
    [id, channelId, status, filter, deletedAt ?? null],
  );
}
const rows = async (columns = 'id, status, filter'): Promise<unknown[][]> =>
  (await database.pool.query({ text: `SELECT ${columns} FROM subscriptions ORDER BY id`, rowMode: 'array' }))
    .rows as unknown[][];
const versions = async (): Promise<unknown[]> =>
  (
    await database.pool.query(
      "SELECT config_version AS v FROM channels WHERE id LIKE 'chn%' AND kind <> 'system' ORDER BY id",
    )
  ).rows.map(({ v }: { v: number }) => v);
const applied = async (): Promise<number> =>
  (await database.pool.query('SELECT FROM _prisma_migrations WHERE finished_at IS NOT NULL')).rowCount ?? 0;
const run = (...more: string[]) => runPosthorn(['migrate', ...more], { DATABASE_URL: database.url });

const measured = (filter: string): number => {
  const found = createFilters().measure(filter);
  if ('problem' in found) throw new Error(found.problem);
  return found.units;
};

test('migrate counts the units of the filters that are there', async () => {
  await insert('sub_1', { filter: 'payload.n == 1' });
  await insert('sub_2', { filter: null });
  await insert('sub_3', { filter: 'payload.n == 1', channelId: 'chn_b', status: 'paused' });
  const before = await versions();
  const { exitCode, output } = await run();
  expect([exitCode, output]).toEqual([0, 'The database is up to date\n']);
  const units = measured('payload.n == 1');
  expect(await rows('id, filter_units')).toEqual([
    ['sub_1', units],
    ['sub_2', null],
    ['sub_3', units],
  ]);
  expect(await versions()).toEqual(before);
  expect((await run()).output).toBe('The database is up to date\n');
});

test('migrate stops at filters outside the language, names each with its reason, and changes nothing', async () => {
  await insert('sub_1', { filter: 'payload.n == 1' });
  await insert('sub_2', { filter: NESTED });
  await insert('sub_3', { filter: MAPPED, channelId: 'chn_b', status: 'disabled' });
  await insert('sub_4', { filter: MAPPED, deletedAt: new Date() });
  const before = [await rows(), await versions(), await applied()];
  const { exitCode, output, errors } = await run();
  expect(exitCode).toBe(1);
  expect(output.trim().split('\n')).toEqual([
    `Cannot keep the filter of sub_2 (channel chn_a): line 1:18: all, exists and filter cannot be nested; it is "${NESTED}"`,
    `Cannot keep the filter of sub_3 (channel chn_b): line 1:11: map is not available: a filter builds no texts and no lists; it is "${MAPPED}"`,
  ]);
  expect(errors).toMatch(
    /^posthorn: 2 stored filters are not in the filter language of this release .*; nothing was changed\./,
  );
  expect(errors).toContain('--drop-filters');
  expect([await rows(), await versions(), await applied()]).toEqual(before);
});

test('migrate --drop-filters lets nothing through in their place, pauses what is active, and says so', async () => {
  await insert('sub_1', { filter: 'payload.n == 1' });
  await insert('sub_2', { filter: NESTED });
  await insert('sub_3', { filter: MAPPED, channelId: 'chn_b', status: 'disabled' });
  await insert('sub_4', { filter: MAPPED, deletedAt: new Date() });
  const before = (await versions()).map(Number);
  const { exitCode, output, errors } = await run('--drop-filters');
  expect([exitCode, errors]).toEqual([0, '']);
  expect(output.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(
      /^Dropped the filter of sub_2 \(channel chn_a\): line 1:18: all, exists and filter cannot be nested; it is "payload/,
    ),
    expect.stringMatching(/^Dropped the filter of sub_3 \(channel chn_b\): .* map is not available/),
  ]);
  expect(output).toMatch(
    /now has the filter `false`, and was paused if it was active\.\n.*\nThe database is up to date/,
  );
  expect(await rows()).toEqual([
    ['sub_1', 'active', 'payload.n == 1'],
    ['sub_2', 'paused', 'false'],
    ['sub_3', 'disabled', 'false'],
    ['sub_4', 'active', MAPPED],
  ]);
  expect(await rows(`id, filter_units, status_changed_at > '2021-01-01', updated_at > '2021-01-01'`)).toEqual([
    ['sub_1', measured('payload.n == 1'), false, false],
    ['sub_2', measured('false'), true, true],
    ['sub_3', measured('false'), false, true],
    ['sub_4', null, false, false],
  ]);
  expect(await versions()).toEqual(before.map((version) => version + 1));
  expect(await run()).toMatchObject({ exitCode: 0, output: 'The database is up to date\n' });
});

test('migrate names the youngest filters of a channel that has more of them than units', async () => {
  const many = Math.floor(UNITS_OF_A_CHANNEL / measured(dearFilter(10)));
  const id = (n: number): string => `sub_${String(n).padStart(3, '0')}`;
  for (let n = 0; n <= many; n += 1) await insert(id(n), { filter: dearFilter(10 + n) });
  await insert(id(many + 1), { filter: dearFilter(10) });
  await insert(id(many + 2), { filter: dearFilter(10 + many), channelId: 'chn_b' });
  const { exitCode, output, errors } = await run();
  expect([exitCode, errors]).toEqual([1, expect.stringMatching(/^posthorn: 1 stored filters/)]);
  expect(output).toMatch(
    new RegExp(
      `^Cannot keep the filter of ${id(many)} \\(channel chn_a\\): with it, the filters of its channel take \\d+ units`,
    ),
  );
});

test('an empty database has none to look at', async () => {
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  expect((await run()).exitCode).toBe(0);
  expect(await applied()).toBe(readMigrations().length);
});
