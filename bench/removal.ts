import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { createDatabase } from '../src/platform/db/client.ts';
import { migrate } from '../src/platform/db/migrations/migrate.ts';
import { createPool } from '../src/platform/db/connection.ts';
import type { EmbeddedPostgres } from '../local/postgres.ts';
import { ensureEnvironments } from '../src/process/seed.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { environmentOf } from './fixture.ts';
import { DAYS, fill, FILL_SETTINGS } from './growth-fill.ts';
import { type Cost, costOf, takeIn } from './message-cost.ts';
import { wholeNumber } from './options.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { pass } from './retention-pass.ts';
import { formatTable, spreadOf } from './statistics.ts';

const USAGE = `npm run bench:removal -- [options]
  --messages <n>       stored before, default 1000000 (about 2 GB of disk); 200000 for a first look
  --subscriptions <n>  default 10000, five to a channel
  --payload <bytes>    default 200
  --compress <method>  of pages in the log (wal_compression), default off; pglz, and lz4 where the server is built with it
A fifth is taken in and the oldest fifth is removed, in four parts each, with the vacuum that follows counted to both.`;

const startedAt = Date.now();
const progress = (line: string): void =>
  console.error(`[${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s] ${line}`);

const DAY_MS = 86_400_000;
/** Each turn takes this part of what is stored in, and removes as much. */
const PART = 20;
// Four turns are a fifth: autovacuum comes to messages and attempts when so many of their rows are dead.
const TURNS = 4;
// Retention comes every half hour: ten messages of a channel in a pass are a few hundred a day.
const PASS_PER_CHANNEL = 10;
const PER_CHANNEL = 5;
// Checkpoints by hand, one before each measurement: pages are written whole once in each. Vacuum by hand too, so that it is counted.
const SETTINGS = { autovacuum: 'off', max_wal_size: '16GB', checkpoint_timeout: '1h', shared_buffers: '512MB' };
const TABLES = 'messages, deliveries, attempts, dead_letters';
/** The target: a removed message over one that was taken in. */
const TARGET = 0.15;

type Side = { turns: Cost[]; vacuum: Cost };

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '1000000' },
      subscriptions: { type: 'string', default: '10000' },
      payload: { type: 'string', default: '200' },
      compress: { type: 'string', default: 'off' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return true;
  }
  const postgres = await startOwnPostgres('removal', FILL_SETTINGS, progress);
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
      payloadBytes: wholeNumber('--payload', values.payload),
      environmentId: await environmentOf(pool),
    };
    const filledAt = Date.now();
    await fill(pool, growth, progress);
    await pool.end();
    progress('Starting again with the settings of the service');
    await postgres.restart({ ...SETTINGS, wal_compression: values.compress });
    pool = createPool(postgres.current().url, { max: 2 });
    const channels = Math.floor(growth.subscriptions / PER_CHANNEL);
    await pool.query('UPDATE channels SET retention_days = $1', [DAYS]);
    const sides = await measure(pool, postgres.current(), { ...growth, channels, filledAt });
    await pool.end();
    const stored = `${growth.messages} messages, ${channels} channels, payloads of ${growth.payloadBytes} bytes`;
    console.log(`${stored}, pages in the log compressed: ${values.compress}\n`);
    return report(sides);
  } finally {
    await postgres.stop();
  }
}

async function measure(
  pool: Pool,
  postgres: EmbeddedPostgres,
  about: { messages: number; channels: number; payloadBytes: number; environmentId: string; filledAt: number },
): Promise<{ takingIn: Side; removing: Side }> {
  const { messages, channels, payloadBytes, environmentId, filledAt } = about;
  const count = Math.ceil(messages / PART);
  const roots = { postgres: postgres.pid };
  const vacuum = (): Promise<Cost> =>
    costOf(pool, roots, async () => {
      await pool.query(`VACUUM ${TABLES}`);
      return count * TURNS;
    });
  const takingIn: Cost[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    progress(`Taking in, ${turn} of ${TURNS}`);
    takingIn.push(await takeIn(pool, postgres, { environmentId, count, payloadBytes }));
  }
  const vacuumOfNew = await vacuum();

  // The half hours of a turn's part of the 30 days, made as long as a pass of ten messages for each channel takes.
  const passes = Math.max(1, Math.round(count / (channels * PASS_PER_CHANNEL)));
  const partMs = (DAYS * DAY_MS) / PART;
  const removing: Cost[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    progress(`Removing, ${turn + 1} of ${TURNS}`);
    const remove = async (): Promise<number> => {
      let removed = 0;
      for (let done = 1; done <= passes; done += 1)
        removed += (await pass(pool, new Date(filledAt + (turn + done / passes) * partMs))).messages;
      return removed;
    };
    removing.push(await costOf(pool, roots, remove));
  }
  return { takingIn: { turns: takingIn, vacuum: vacuumOfNew }, removing: { turns: removing, vacuum: await vacuum() } };
}

/** True when every ratio keeps the target. */
function report({ takingIn, removing }: { takingIn: Side; removing: Side }): boolean {
  const row = (name: string, digits: number, of: (cost: Cost) => number) => {
    const figures = [takingIn, removing].flatMap(({ turns, vacuum }) => [spreadOf(turns.map(of)).median, of(vacuum)]);
    const [taken = 0, takenVacuum = 0, removed = 0, removedVacuum = 0] = figures;
    const ratio = (removed + removedVacuum) / (taken + takenVacuum);
    const cells = [
      name,
      ...figures.map((figure) => figure.toFixed(digits)),
      (removed / taken).toFixed(2),
      ratio.toFixed(2),
    ];
    return { ratio, cells };
  };
  const rows = [
    row("PostgreSQL's CPU ms", 3, ({ cpuMs }) => cpuMs),
    row('CPU ms with the service', 3, ({ cpuMs, ownMs }) => cpuMs + ownMs),
    row('WAL bytes', 0, ({ walBytes }) => walBytes),
  ];
  console.log(
    formatTable(
      ['of a message', 'taking in', 'its vacuum', 'removing', 'its vacuum', 'ratio without', 'with vacuum'],
      rows.map(({ cells }) => cells),
      1,
    ),
  );
  const isKept = rows.every(({ ratio }) => ratio <= TARGET);
  console.log(`\n${isKept ? 'Reached' : 'MISSED'}: at most ${TARGET} of each, vacuum included`);
  return isKept;
}

try {
  process.exit((await main()) ? 0 : 1);
} catch (failure) {
  console.error(failure instanceof Error ? failure.stack : failure);
  process.exit(1);
}
