import { ensureSystemChannels } from '../../../messaging/channels/store.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { type ApiKeys, createApiKeys } from '../../../identity/credentials/api-keys/service.ts';
import { type Apps, createApps } from '../../../identity/tenancy/apps/service.ts';
import { type Audit, createAudit } from '../../../identity/tenancy/audit/service.ts';
import { createLog } from '../../../platform/log.ts';
import { createNewId } from '../../../platform/new-id.ts';
import { withDatabase } from './with-database.ts';

/** Services of the command line, which acts as the operator. */
export type IdentityServices = { apiKeys: ApiKeys; apps: Apps; audit: Audit };

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
