import { createApiKeys, type ApiKeys, type OperatorApiKey } from '../../identity/api-keys/service.ts';
import type { ApiKey } from '../../identity/api-keys/schema.ts';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { createDatabase, type Database } from '../../db/client.ts';
import type { EnvironmentKind } from '../../identity/caller.ts';
import { createLog } from '../../log.ts';
import { createNewId } from '../../new-id.ts';
import { explainingDatabase } from '../../readiness/database-trouble.ts';
import { print } from './role.ts';
import { readRunningState } from './running-state.ts';
import { toTable } from './table.ts';
import { visible } from './visible.ts';

type Output = { json: boolean };

/** `posthorn keys create`: prints the key alone, so that a script can take it; with `json` everything about it. */
export async function createKey(key: OperatorApiKey, { json }: Output): Promise<void> {
  const created = await withApiKeys((apiKeys) => apiKeys.operator.create(key));
  print(json ? JSON.stringify(created, undefined, 2) : created.key);
}

/** `posthorn keys list`: every key, of one environment or of both, never the keys themselves. */
export async function listKeys(environment: EnvironmentKind | undefined, { json }: Output): Promise<void> {
  const keys = await withApiKeys((apiKeys) => apiKeys.operator.list(environment));
  print(json ? JSON.stringify(keys, undefined, 2) : describeKeys(keys));
}

/** `posthorn keys revoke`: holds here at once, in other processes within 5 s. */
export async function revokeKey(id: string): Promise<void> {
  await withApiKeys((apiKeys) => apiKeys.operator.revoke(id));
  print(`Revoked ${id}`);
}

/** Runs work on the database that the command line is for, and explains why it cannot be reached. */
export async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const databaseUrl = findDatabase(config);
  return explainingDatabase(databaseUrl, async () => {
    const db = createDatabase(databaseUrl);
    try {
      return await work(db);
    } finally {
      await db.$disconnect();
    }
  });
}

const withApiKeys = <T>(work: (apiKeys: ApiKeys) => Promise<T>): Promise<T> =>
  withDatabase(readConfig(), (db) =>
    work(createApiKeys({ db, clock: () => new Date(), newId: createNewId(Date.now), log: createLog('error') })),
  );

/** The database of DATABASE_URL, otherwise that of the `start` that runs on this data folder. */
export function findDatabase({ databaseUrl, dataFolder }: Config): string {
  const url = databaseUrl ?? readRunningState(dataFolder)?.databaseUrl;
  if (url === undefined)
    throw new ConfigError(`DATABASE_URL is not set, and no \`posthorn start\` runs on ${dataFolder} here`);
  return url;
}

const describeKeys = (keys: readonly ApiKey[]): string =>
  toTable([
    ['ID', 'ENVIRONMENT', 'TIER', 'STATUS', 'KEY', 'NAME'],
    ...keys.map(({ id, environment, tier, status, prefix, last4, name }) => [
      id,
      environment,
      tier,
      status,
      `${prefix}…${last4}`,
      // A name that was stored before control characters were refused.
      visible(name),
    ]),
  ]);
