import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { type Config, readConfig } from '../../../src/platform/config/config.ts';
import { migrate } from '../../../src/platform/db/migrations/migrate.ts';
import { keepRunning } from '../../../local/child.ts';
import { findFreePort } from '../../../local/ports.ts';
import { startPostgres } from '../../../local/postgres.ts';
import { startTemporal } from '../../../local/temporal.ts';
import { claimFolder, clearAbandonedRuns, releaseFolder, RUN_FOLDER_PREFIX } from './abandoned-runs.ts';
import { TEST_DATABASE_PREFIX } from './database-names.ts';
import type { TestRun } from './run.ts';

export type TestServers = TestRun & { stop(): Promise<void> };

// 2 jest workers with a few pools of 10 each, and the services that tests start as separate processes.
const MAX_CONNECTIONS = 300;

const print = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/**
 * Starts one PostgreSQL and one Temporal for this run: those of DATABASE_URL and TEMPORAL_ADDRESS if set, else embedded ones in a
 * temporary folder. Throws with a sentence if one is not available, which fails the run.
 */
export async function startServers(): Promise<TestServers> {
  const config = readConfig();
  await clearAbandonedRuns();
  const dataFolder = mkdtempSync(RUN_FOLDER_PREFIX);
  claimFolder(dataFolder);
  const [postgres, temporal] = await Promise.allSettled([
    prepareDatabase(config, dataFolder),
    prepareTemporal(config, dataFolder),
  ]);
  if (postgres.status === 'rejected' || temporal.status === 'rejected') {
    if (postgres.status === 'fulfilled') await postgres.value.stop();
    if (temporal.status === 'fulfilled') await temporal.value.stop();
    rmSync(dataFolder, { recursive: true, force: true });
    const reasons = [postgres, temporal].flatMap((part) =>
      part.status === 'rejected' ? [String(part.reason instanceof Error ? part.reason.message : part.reason)] : [],
    );
    throw new Error(`The tests need PostgreSQL and Temporal.\n${reasons.join('\n')}`);
  }
  const stop = async (): Promise<void> => {
    const kept = await dropTemplate(postgres.value);
    await Promise.all([postgres.value.stop(), temporal.value.stop()]);
    if (kept.length > 0)
      print(
        `Kept for a look: ${kept.join(', ')} on ${postgres.value.isEmbedded ? `the data folder ${dataFolder}` : 'the server of DATABASE_URL'}`,
      );
    if (kept.length === 0) rmSync(dataFolder, { recursive: true, force: true });
    else releaseFolder(dataFolder);
  };
  return {
    adminUrl: postgres.value.adminUrl,
    template: postgres.value.template,
    temporalAddress: temporal.value.address,
    stop,
  };
}

type TestPostgres = { adminUrl: string; template: string; isEmbedded: boolean; stop(): Promise<void> };

async function prepareDatabase(config: Config, dataFolder: string): Promise<TestPostgres> {
  const template = `posthorn_template_${randomBytes(4).toString('hex')}`;
  const { url, stop } =
    config.databaseUrl === undefined
      ? // fsync protects against a power failure, which no test can cause; killed processes lose nothing without it.
        await startPostgres({
          dataFolder,
          port: await findFreePort(),
          maxConnections: MAX_CONNECTIONS,
          database: 'posthorn',
          settings: { fsync: 'off', full_page_writes: 'off' },
          onProgress: () => undefined,
        })
      : { url: config.databaseUrl, stop: async () => undefined };
  await order(url, `CREATE DATABASE ${template}`).catch((cause: unknown) => {
    throw new Error('DATABASE_URL must name a running PostgreSQL whose user may create databases', { cause });
  });
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await migrate(templateUrl.href);
  return { adminUrl: url, template, isEmbedded: config.databaseUrl === undefined, stop };
}

async function prepareTemporal(
  config: Config,
  dataFolder: string,
): Promise<{ address: string; stop(): Promise<void> }> {
  const { address } = config.temporal;
  if (address === undefined) {
    const port = await findFreePort();
    const { temporalCli } = config;
    const { first, stop } = await keepRunning({
      start: () => startTemporal({ dataFolder, port, namespace: 'default', temporalCli, onProgress: print }),
      onProgress: print,
      onGivenUp: print,
    });
    return { address: first.address, stop };
  }
  const connection = await Connection.connect({ address }).catch((cause: unknown) => {
    throw new Error(`TEMPORAL_ADDRESS names ${address}, where no Temporal server answers`, { cause });
  });
  await connection.close();
  return { address, stop: async () => undefined };
}

/** Drops this run's template and returns the databases that failing files have kept on an embedded server. */
async function dropTemplate({ adminUrl, template, isEmbedded }: TestPostgres): Promise<string[]> {
  await order(adminUrl, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  if (!isEmbedded) return [];
  const rows = await order(
    adminUrl,
    `SELECT datname FROM pg_database WHERE datname LIKE '${TEST_DATABASE_PREFIX}%' ORDER BY datname`,
  );
  return rows.map(({ datname }) => String(datname));
}

async function order(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
