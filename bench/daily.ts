import { parseArgs } from 'node:util';
import { createDatabase } from '../src/platform/db/client.ts';
import { migrate } from '../src/platform/db/migrations/migrate.ts';
import { createPool } from '../src/platform/db/connection.ts';
import { ensureEnvironments } from '../src/process/seed.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { compareForms, type Form, FORMS } from './daily-measures.ts';
import { dayOf, makeDaily } from './daily-tables.ts';
import { environmentOf } from './fixture.ts';
import { DAYS, fill, FILL_SETTINGS } from './growth-fill.ts';
import { wholeNumber } from './options.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { runMain } from './run-main.ts';

const USAGE = `npm run bench:daily -- [options]
  --messages <n>       in each of the two forms, default 6700000: 20 million rows, 24 GB of disk; 100000 for a first look
  --subscriptions <n>  default 10000, five to a channel
  --payload <bytes>    default 200
  --count <n>          messages taken in each time, default 20000
  --turns <n>          default 3`;

const startedAt = Date.now();
const onProgress = (line: string): void =>
  console.error(`[${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s] ${line}`);

// Manual checkpoints, one before each measurement; manual vacuum too, so that it is counted.
const SETTINGS = { autovacuum: 'off', max_wal_size: '16GB', checkpoint_timeout: '1h', shared_buffers: '512MB' };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '6700000' },
      subscriptions: { type: 'string', default: '10000' },
      payload: { type: 'string', default: '200' },
      count: { type: 'string', default: '20000' },
      turns: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const payloadBytes = wholeNumber('--payload', values.payload);
  const server = await startOwnPostgres('daily', FILL_SETTINGS, onProgress);
  const urlsNow = (): Record<Form, string> => {
    const at = (form: Form): string => server.current().url.replace(/\/[^/]*$/, `/${form}`);
    return { plain: at('plain'), daily: at('daily') };
  };
  try {
    for (const form of FORMS) {
      onProgress(`Making ${form}`);
      const main = createPool(server.current().url, { max: 1 });
      await main.query(`CREATE DATABASE ${form}`);
      await main.end();
      const url = urlsNow()[form];
      await migrate(url);
      const db = createDatabase(url);
      await ensureEnvironments({ db, newId: createNewId(Date.now) });
      await db.$disconnect();
      const pool = createPool(url, { max: 4 });
      if (form === 'daily') {
        const today = dayOf(Date.now());
        const lost = await makeDaily(pool, { first: today - DAYS, last: today + 1 });
        // Rights of the tenants' role on the new tables.
        await migrate(url);
        console.log(`Unique within a day only: ${lost.join(', ')}\n`);
      }
      const growth = {
        messages: wholeNumber('--messages', values.messages),
        subscriptions: wholeNumber('--subscriptions', values.subscriptions),
        payloadBytes,
        environmentId: await environmentOf(pool),
      };
      await fill(pool, growth, onProgress);
      await pool.end();
    }
    onProgress('Starting again with the settings of the service');
    await server.restart(SETTINGS);
    await compareForms({
      postgres: server.current(),
      urls: urlsNow(),
      payloadBytes,
      count: wholeNumber('--count', values.count),
      turns: wholeNumber('--turns', values.turns),
      onProgress,
    });
  } finally {
    await server.stop();
  }
}

await runMain(main);
