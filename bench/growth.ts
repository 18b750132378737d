import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { readEncryptionKeys } from '../src/config.ts';
import { createKeyRing } from '../src/credentials/key-ring.ts';
import { createDatabase } from '../src/db/client.ts';
import { PrismaClient } from '../src/db/generated/client.ts';
import { migrate } from '../src/db/migrate.ts';
import { createPool } from '../src/db/pool.ts';
import type { EmbeddedPostgres } from '../local/postgres.ts';
import { joinBegin } from '../src/db/tenant-entry.ts';
import { createTenants } from '../src/db/tenants.ts';
import { ensureEnvironments } from '../src/process/seed.ts';
import { createNewId } from '../src/new-id.ts';
import type { CeilingCommands } from './ceiling-process.ts';
import { createTarget, environmentOf } from './fixture.ts';
import { fill, FILL_SETTINGS } from './growth-fill.ts';
import { readBacklog, readTables, readWaiting } from '../src/observe/figure-queries.ts';
import { hotQueries, listQueries, type Query, type Questioned } from './growth-queries.ts';
import { startHelper } from './helper.ts';
import { wholeNumber } from './options.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { createExplainingPool, type Executed } from './plans.ts';
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

// A named statement may turn generic at its sixth execution: the plans after that are the ones that stay.
const EXECUTIONS = 8;
const COST_RUNS = 3;
const COST_MESSAGES = 10_000;
/** Largest cost per message over the empty database. */
const COST_BOUND = 1.3;
/** 8 MiB: no query may read a larger table from end to end; reading a smaller one is a remark. */
const BIG_PAGES = 1_000;

type Asked = { name: string; executed: Executed[] };

/** Asks each query some times and keeps every plan it ran with. */
async function explain(url: string, environmentId: string): Promise<Asked[]> {
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
    { name: 'metrics: scheduled messages', run: () => readWaiting(pool) },
    { name: 'metrics: tables', run: () => readTables(pool) },
  ];
  const queries: Query[] = [...metricQueries, ...(await listQueries(questioned)), ...hotQueries(questioned)];
  const asked = new Map<string, Executed[]>(queries.map(({ name }) => [name, []]));
  // In turn: each query meets the rows that the one before has left, as in service.
  for (let count = 1; count <= EXECUTIONS; count += 1) {
    for (const { name, run } of queries) {
      executed = [];
      await run();
      asked.get(name)?.push(...executed);
    }
  }
  await db.$disconnect();
  await pool.end();
  return [...asked].map(([name, all]) => ({ name, executed: all }));
}

/** Tables that are too big to be read from end to end. */
async function bigTables(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relpages > $1`,
    [BIG_PAGES],
  );
  return new Set(rows.map(({ name }) => name));
}

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
        channelId: target.channelId,
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
    const asked = await explain(at(grown.url), grown.environmentId);
    const big = await withPool(at(grown.url), bigTables);
    console.log(`${growth.messages} messages, ${growth.subscriptions} subscriptions\n\n${planTable(asked, big)}`);
    if (values.plans !== undefined) writeFileSync(values.plans, JSON.stringify(asked, undefined, 2));
    const isCheap = await compareCosts(postgres.current(), at(empty.url), at(grown.url));
    const forbidden = asked
      .filter(({ executed }) => executed.some(({ scanned }) => scanned.some((table) => big.has(table))))
      .map(({ name }) => name);
    if (forbidden.length > 0) console.log(`\nSequential scans over a big table: ${forbidden.join('; ')}`);
    if (!isCheap) console.log(`\nA message costs more than ${COST_BOUND} times what it costs on an empty database`);
    return forbidden.length === 0 && isCheap;
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
