import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { readEncryptionKeys } from '../src/platform/config/config.ts';
import { createKeyRing } from '../src/platform/credentials/key-ring.ts';
import { createDatabase } from '../src/platform/db/client.ts';
import { migrate } from '../src/platform/db/migrations/migrate.ts';
import { createPool } from '../src/platform/db/connection.ts';
import type { EmbeddedPostgres } from '../local/postgres.ts';
import { ensureEnvironments } from '../src/process/seed.ts';
import { createNewId } from '../src/platform/new-id.ts';
import type { CeilingCommands } from './ceiling-process.ts';
import { createTarget, environmentOf } from './fixture.ts';
import { type Asked, bigTables, explain } from './explain.ts';
import { fill, FILL_SETTINGS } from './growth-fill.ts';
import { startHelper } from './helper.ts';
import { wholeNumber } from './options.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { readUsage } from './processes.ts';
import { formatTable, show, showSpread, spreadOf } from './statistics.ts';

const USAGE = `npm run bench:growth -- [options]
  --messages <n>       default 10000000 (about 15 GB of disk and five minutes)
  --subscriptions <n>  default 10000
  --payload <bytes>    of a stored message, default 200
  --plans <path>       writes every plan there as JSON`;

const newId = createNewId(Date.now);
const startedAt = Date.now();
const progress = (line: string): void =>
  console.error(`[${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s] ${line}`);

const COST_RUNS = 3;
const COST_MESSAGES = 10_000;
/** Largest cost per message over the empty database. */
const COST_BOUND = 1.3;

function planTable(asked: readonly Asked[], big: ReadonlySet<string>): string {
  const rows = asked.flatMap(({ name, executed }) => {
    const statements = [...new Set(executed.map(({ statement }) => statement))];
    return statements.map((statement, index) => {
      const runs = executed.filter((one) => one.statement === statement);
      const scanned = [...new Set(runs.flatMap((run) => run.scanned))];
      return [
        index === 0 ? name : '',
        statement.slice(0, 60),
        showSpread(spreadOf(runs.map(({ ms }) => ms))),
        show(spreadOf(runs.map(({ buffers }) => buffers)).median),
        scanned.map((table) => (big.has(table) ? `READS ALL OF ${table}` : `reads all of ${table}`)).join(', '),
      ];
    });
  });
  return formatTable(['query', 'statement', 'ms', 'buffers', ''], rows);
}

type Cost = { wallMs: number; cpuMs: number };

/** Publish, load and record of one message on this database, without HTTP and sending. */
async function costOf(postgres: EmbeddedPostgres, databaseUrl: string): Promise<Cost> {
  const pool = createPool(databaseUrl, { max: 1 });
  const keyRing = createKeyRing(readEncryptionKeys(`growth:${randomBytes(32).toString('base64')}`));
  const target = await createTarget({ pool, keyRing, newId }, ['http://127.0.0.1:9/growth']);
  const environmentId = await environmentOf(pool);
  await pool.end();
  const helper = await startHelper<CeilingCommands>('ceiling-process');
  try {
    const run = (count: number) =>
      helper.ask('postgres', {
        databaseUrl,
        environmentId,
        places: [{ channelId: target.channelId, eventType: 'bench.sent' }],
        holder: 'inc_growth',
        count,
        concurrency: 32,
        payload: JSON.stringify({ text: 'x'.repeat(1_000) }),
      });
    await run(COST_MESSAGES / 5);
    const before = readUsage({ postgres: postgres.pid });
    const { wallMs } = await run(COST_MESSAGES);
    const after = readUsage({ postgres: postgres.pid });
    return { wallMs: wallMs / COST_MESSAGES, cpuMs: (after.postgres.cpuMs - before.postgres.cpuMs) / COST_MESSAGES };
  } finally {
    await helper.stop();
  }
}

/** Each database in turn, so that other load of the machine meets both. True when the bound is kept. */
async function compareCosts(postgres: EmbeddedPostgres, empty: string, grown: string): Promise<boolean> {
  const costs: Record<'empty' | 'grown', Cost[]> = { empty: [], grown: [] };
  for (let count = 1; count <= COST_RUNS; count += 1) {
    progress(`Cost per message, run ${count} of ${COST_RUNS}`);
    costs.empty.push(await costOf(postgres, empty));
    costs.grown.push(await costOf(postgres, grown));
  }
  const median = (which: keyof typeof costs, of: (cost: Cost) => number): number =>
    spreadOf(costs[which].map(of)).median;
  const rows = (['cpuMs', 'wallMs'] as const).map((figure) => {
    const [from, to] = [median('empty', (cost) => cost[figure]), median('grown', (cost) => cost[figure])];
    const name = figure === 'cpuMs' ? "PostgreSQL's CPU ms" : 'elapsed ms';
    return { ratio: to / from, cells: [name, from.toFixed(3), to.toFixed(3), (to / from).toFixed(2)] };
  });
  const head = ['cost per message', 'empty', 'grown', 'ratio'];
  console.log(
    `\n${formatTable(
      head,
      rows.map(({ cells }) => cells),
      1,
    )}`,
  );
  return rows.every(({ ratio }) => ratio <= COST_BOUND);
}

async function prepare(postgres: EmbeddedPostgres, name: string): Promise<{ url: string; environmentId: string }> {
  const url = postgres.url.replace(/\/[^/]*$/, `/${name}`);
  const main = createPool(postgres.url, { max: 1 });
  await main.query(`CREATE DATABASE ${name}`);
  await main.end();
  await migrate(url);
  const db = createDatabase(url);
  await ensureEnvironments({ db, newId });
  await db.$disconnect();
  const environmentId = await withPool(url, environmentOf);
  return { url, environmentId };
}

async function withPool<T>(url: string, use: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, { max: 2 });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '10000000' },
      subscriptions: { type: 'string', default: '10000' },
      payload: { type: 'string', default: '200' },
      plans: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return true;
  }
  const postgres = await startOwnPostgres('growth', FILL_SETTINGS, progress);
  try {
    const empty = await prepare(postgres.current(), 'empty');
    const grown = await prepare(postgres.current(), 'grown');
    const growth = {
      messages: wholeNumber('--messages', values.messages),
      subscriptions: wholeNumber('--subscriptions', values.subscriptions),
      payloadBytes: wholeNumber('--payload', values.payload),
      environmentId: grown.environmentId,
    };
    await withPool(grown.url, (pool) => fill(pool, growth, progress));
    await withPool(empty.url, (pool) => pool.query('VACUUM (ANALYZE)'));
    const at = (url: string): string =>
      postgres.current().url.replace(/\/[^/]*$/, `/${url.slice(url.lastIndexOf('/') + 1)}`);
    progress('Starting again with the settings of the service');
    await postgres.restart({});
    const failed: string[] = [];
    const asked = await explain(at(grown.url), grown.environmentId, { onFailure: (name) => failed.push(name) });
    const big = await withPool(at(grown.url), bigTables);
    console.log(`${growth.messages} messages, ${growth.subscriptions} subscriptions\n\n${planTable(asked, big)}`);
    if (values.plans !== undefined) writeFileSync(values.plans, JSON.stringify(asked, undefined, 2));
    const isCheap = await compareCosts(postgres.current(), at(empty.url), at(grown.url));
    const forbidden = asked
      .filter(({ executed }) => executed.some(({ scanned }) => scanned.some((table) => big.has(table))))
      .map(({ name }) => name);
    if (forbidden.length > 0) console.log(`\nSequential scans over a big table: ${forbidden.join('; ')}`);
    if (failed.length > 0) console.log(`\nNot answered in time: ${failed.join('; ')}`);
    if (!isCheap) console.log(`\nA message costs more than ${COST_BOUND} times what it costs on an empty database`);
    return forbidden.length === 0 && failed.length === 0 && isCheap;
  } finally {
    await postgres.stop();
  }
}

try {
  process.exit((await main()) ? 0 : 1);
} catch (failure) {
  console.error(failure instanceof Error ? failure.stack : failure);
  process.exit(1);
}
