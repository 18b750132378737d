import { type Config, ConfigError, readConfig } from '../../platform/config/config.ts';
import { createDatabase, type Database } from '../../platform/db/client.ts';
import { createPool } from '../../platform/db/connection.ts';
import { createTenants, type Tenants } from '../../platform/db/tenants.ts';
import { explainingDatabase } from '../../platform/readiness/database-trouble.ts';
import { readRunningState } from './serving/running-state.ts';
import { ensureSystemChannels } from '../../messaging/channels/store.ts';
import { type ApiKeys, createApiKeys } from '../../identity/credentials/api-keys/service.ts';
import { type Apps, createApps } from '../../identity/tenancy/apps/service.ts';
import { type Audit, createAudit } from '../../identity/tenancy/audit/service.ts';
import { createLog } from '../../platform/log.ts';
import { createNewId } from '../../platform/new-id.ts';

/** Services of the command line, which acts as the operator. */
type IdentityServices = { apiKeys: ApiKeys; apps: Apps; audit: Audit };

/** Runs a command's work on the database of the settings, or of the running `start`, and disconnects. */
export async function withIdentity<T>(work: (identity: IdentityServices) => Promise<T>): Promise<T> {
  return withDatabase(readConfig(), async (db, tenants) => {
    const deps = { db, tenants, clock: () => new Date(), newId: createNewId(Date.now), log: createLog('error') };
    const audit = createAudit(deps);
    const apiKeys = createApiKeys(deps, { audit });
    const forget = apiKeys.forgetEverywhere;
    return work({
      apiKeys,
      apps: createApps(deps, { audit, makeSystemChannels: ensureSystemChannels, forget }),
      audit,
    });
  });
}

/** The database of DATABASE_URL, otherwise that of the `start` that is running on this data folder. */
export function findDatabase({ databaseUrl, dataFolder }: Config): string {
  const url = databaseUrl ?? readRunningState(dataFolder)?.databaseUrl;
  if (url === undefined)
    throw new ConfigError(
      `DATABASE_URL is not set, and no \`posthorn start\` is running on ${dataFolder} (DATA_FOLDER)`,
    );
  return url;
}

/** Runs work on the command line's database, and explains why it cannot be reached if it fails. */
export async function withDatabase<T>(
  config: Config,
  work: (db: Database, tenants: Tenants) => Promise<T>,
): Promise<T> {
  const databaseUrl = findDatabase(config);
  return explainingDatabase({ ...config, databaseUrl }, async () => {
    const db = createDatabase(databaseUrl);
    const pool = createPool(databaseUrl, { max: 1 });
    try {
      return await work(db, createTenants({ db, pool }));
    } finally {
      await Promise.all([db.$disconnect(), pool.end()]);
    }
  });
}
