import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { createDatabase } from '../src/platform/db/client.ts';
import { migrate } from '../src/platform/db/migrations/migrate.ts';
import { createPool } from '../src/platform/db/connection.ts';
import type { EmbeddedPostgres } from '../local/postgres.ts';
import { ensureEnvironments } from '../src/process/seed.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { environmentOf } from './fixture.ts';
import { fill, FILL_SETTINGS } from './growth-fill.ts';
import { walOf } from './message-cost.ts';
import { wholeNumber } from './options.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { readUsage } from './processes.ts';
import { pass } from './retention-pass.ts';
import { runMain } from './run-main.ts';
import { formatTable, show, spreadOf } from './statistics.ts';

const USAGE = `npm run bench:retention -- [options]
  --messages <n>       default 1000000 (about 2 GB of disk and three minutes)
  --subscriptions <n>  default 50000, five to a channel`;

const startedAt = Date.now();
const progress = (line: string): void =>
  console.error(`[${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s] ${line}`);

const IDLE_PASSES = 5;
const PARTITIONS = 30;
const PROBES = 2_000;
const ROUNDS = 4;
// Autovacuum comes by itself, six times as often as it would; afterwards it has this long to be seen.
const SETTINGS = { autovacuum_naptime: '10s' };
const VACUUM_WITHIN_MS = 60_000;
const TABLES = ['messages', 'deliveries', 'attempts', 'dead_letters'];

type Vacuumed = { name: string; dead: number; vacuums: number; size: string };

const tablesNow = async (pool: Pool): Promise<Vacuumed[]> =>
  (
    await pool.query<Vacuumed>(
      `SELECT relname AS name, n_dead_tup::int AS dead, autovacuum_count::int AS vacuums,
         pg_size_pretty(pg_total_relation_size(relid)) AS size
       FROM pg_stat_user_tables WHERE relname = ANY ($1) ORDER BY array_position($1, relname::text)`,
      [TABLES],
    )
  ).rows;

/** The claim's step, one subscription's oldest due delivery, on one table and on the same rows in daily partitions. */
async function comparePartitions(pool: Pool): Promise<string[][]> {
  const { rows: bounds } = await pool.query<{ id: string }>(
    `SELECT min(id) AS id FROM (SELECT id, ntile(${PARTITIONS}) OVER (ORDER BY id) AS part FROM deliveries) AS parts
     GROUP BY part ORDER BY part`,
  );
  await pool.query('CREATE TABLE parted (LIKE deliveries INCLUDING DEFAULTS) PARTITION BY RANGE (id)');
  for (const [index, { id }] of bounds.entries()) {
    const from = index === 0 ? 'MINVALUE' : `'${id}'`;
    const to = bounds[index + 1] === undefined ? 'MAXVALUE' : `'${bounds[index + 1]?.id}'`;
    await pool.query(`CREATE TABLE parted_${index} PARTITION OF parted FOR VALUES FROM (${from}) TO (${to})`);
  }
  await pool.query('INSERT INTO parted SELECT * FROM deliveries');
  await pool.query(
    `CREATE INDEX ON parted (subscription_id, due_at, id)
     WHERE due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts = 0`,
  );
  await pool.query('ANALYZE parted');
  const { rows: subscriptions } = await pool.query<{ id: string }>(`SELECT id FROM subscriptions LIMIT ${PROBES}`);
  const medians: Record<string, number[]> = { deliveries: [], parted: [] };
  // In turn, the first one for the caches only.
  for (const table of Array.from({ length: ROUNDS }, () => Object.keys(medians)).flat()) {
    const from = performance.now();
    for (const { id } of subscriptions) {
      await pool.query({
        name: `probe_${table}`,
        text: `SELECT id FROM ${table} WHERE subscription_id = $1 AND due_at IS NOT NULL AND holder IS NULL
               AND carrier IS NULL AND policy_attempts = 0 ORDER BY due_at, id LIMIT 2`,
        values: [id],
      });
    }
    medians[table]?.push((performance.now() - from) / subscriptions.length);
  }
  await pool.query('DROP TABLE parted');
  return Object.entries(medians).map(([table, ms]) => [
    table === 'parted' ? `in ${PARTITIONS} partitions` : 'in one table',
    spreadOf(ms.slice(1)).median.toFixed(3),
  ]);
}

async function measure(pool: Pool, postgres: EmbeddedPostgres): Promise<void> {
  await pool.query('UPDATE channels SET retention_days = 365');
  await pool.query('VACUUM ANALYZE channels');
  await pool.query('CHECKPOINT');
  const idle: number[] = [];
  for (let count = 1; count <= IDLE_PASSES; count += 1) {
    const from = performance.now();
    await pass(pool);
    idle.push(performance.now() - from);
  }
  console.log(`An idle pass over every channel takes ${show(spreadOf(idle).median)} ms\n`);
  console.log(`${formatTable(['claim of one subscription', 'ms'], await comparePartitions(pool), 1)}\n`);

  await pool.query('UPDATE channels SET retention_days = 1');
  await pool.query('CHECKPOINT');
  progress('Removing');
  const [wal, used] = [await walOf(pool), readUsage({ postgres: postgres.pid })];
  const from = performance.now();
  const { ms, messages, rows, kept } = await pass(pool);
  const seconds = (performance.now() - from) / 1_000;
  const walBytes = (await walOf(pool)) - wal;
  const cpuMs = readUsage({ postgres: postgres.pid }).postgres.cpuMs - used.postgres.cpuMs;
  const sorted = ms.toSorted((one, other) => one - other);
  console.log(
    formatTable(
      ['removed', ''],
      [
        ['messages', String(messages)],
        ['rows', String(rows)],
        ['kept', String(kept)],
        ['messages a second', (messages / seconds).toFixed(0)],
        ['rows a second', (rows / seconds).toFixed(0)],
        ['WAL bytes a message', (walBytes / messages).toFixed(0)],
        ["PostgreSQL's CPU ms a message", (cpuMs / messages).toFixed(3)],
        ['batches', String(ms.length)],
        ['ms a batch, median', (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1)],
        ['ms a batch, 99 %', (sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(1)],
      ],
      1,
    ),
  );
  const before = await tablesNow(pool);
  for (const deadline = Date.now() + VACUUM_WITHIN_MS; Date.now() < deadline; await sleep(1_000)) {
    if ((await tablesNow(pool)).every(({ dead }) => dead < 1_000)) break;
  }
  const after = await tablesNow(pool);
  console.log(
    `\n${formatTable(
      ['table', 'dead rows', 'autovacuums', 'dead rows later', 'autovacuums', 'size'],
      before.map((row, index) => [
        row.name,
        String(row.dead),
        String(row.vacuums),
        String(after[index]?.dead),
        String(after[index]?.vacuums),
        String(after[index]?.size),
      ]),
      1,
    )}`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '1000000' },
      subscriptions: { type: 'string', default: '50000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const postgres = await startOwnPostgres('retention', FILL_SETTINGS, progress);
  try {
    const { url } = postgres.current();
    await migrate(url);
    const db = createDatabase(url);
    await ensureEnvironments({ db, newId: createNewId(Date.now) });
    await db.$disconnect();
    let pool = createPool(url, { max: 2 });
    const growth = {
      messages: wholeNumber('--messages', values.messages),
      subscriptions: wholeNumber('--subscriptions', values.subscriptions),
      payloadBytes: 1_000,
      environmentId: await environmentOf(pool),
    };
    await fill(pool, growth, progress);
    await pool.end();
    progress('Starting again with the settings of the service');
    await postgres.restart(SETTINGS);
    pool = createPool(postgres.current().url, { max: 2 });
    console.log(`${growth.messages} messages, ${Math.floor(growth.subscriptions / 5)} channels\n`);
    await measure(pool, postgres.current());
    await pool.end();
  } finally {
    await postgres.stop();
  }
}

await runMain(main);
