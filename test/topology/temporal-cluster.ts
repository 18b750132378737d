import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { startChild, type TopologyChild } from './child.ts';
import type { TemporalPrograms } from './programs.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy/temporal');
const PASSWORD = 'temporal';
/** Ports of one server, from the first one on: deploy/temporal/server.yaml. */
export const TEMPORAL_PORTS = 8;

export type ClusterOptions = {
  /** URL of a superuser, on the server that gets Temporal's two databases. */
  postgresUrl: string;
  /** The first of TEMPORAL_PORTS in a row. */
  port: number;
  programs: TemporalPrograms;
  folder: string;
};

/**
 * A Temporal server on PostgreSQL with four shards, by the files of `deploy/temporal` that docker-compose.yml uses: a role without
 * rights beyond its two databases, the schema by set-up-schema.sh, the configuration of server.yaml. Ready when its API answers.
 */
export async function startTemporalCluster({
  postgresUrl,
  port,
  programs,
  folder,
}: ClusterOptions): Promise<TopologyChild> {
  await makeDatabases(postgresUrl);
  const { hostname, port: databasePort } = new URL(postgresUrl);
  const database = { SQL_HOST: hostname, SQL_PORT: databasePort, SQL_USER: 'temporal', SQL_PASSWORD: PASSWORD };
  const setUp = (): void =>
    void execFileSync('sh', [join(DEPLOY, 'set-up-schema.sh')], {
      env: childEnvironment({ ...database, TEMPORAL_SQL_TOOL: programs.sql }),
      stdio: 'pipe',
    });
  setUp();
  // As at every later start of the containers: the script is harmless on a schema that is there.
  setUp();
  const variables = { ...database, TEMPORAL_PORT: String(port), DYNAMIC_CONFIG: join(DEPLOY, 'dynamic.yaml') };
  const command = [programs.server, '--root', '/', '--config', DEPLOY, '--env', 'server', '--allow-no-auth', 'start'];
  return startChild('Temporal', command, { variables, logPath: join(folder, 'temporal.log') }, async () => {
    const connection = await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: 1_000 }).catch(
      () => undefined,
    );
    await connection?.close();
    return connection !== undefined;
  });
}

async function makeDatabases(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`CREATE ROLE temporal LOGIN PASSWORD '${PASSWORD}'`);
    for (const name of ['temporal', 'temporal_visibility'])
      await client.query(`CREATE DATABASE ${name} OWNER temporal`);
  } finally {
    await client.end();
  }
}
