import type { Pool } from 'pg';
import { createAudit } from '../../identity/tenancy/audit/service.ts';
import type { EnvironmentKind } from '../../kernel/words/rights.ts';
import {
  createMachineCredentials,
  type MachineCredentials,
  type OperatorMachineCredential,
} from '../../identity/credentials/machine-credentials/service.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { createKeyRing, type KeyRing } from '../../platform/credentials/key-ring.ts';
import { proveKeys } from '../../platform/credentials/encryption-keys.ts';
import { createDatabase } from '../../platform/db/client.ts';
import { createPool } from '../../platform/db/connection.ts';
import { createTenants } from '../../platform/db/tenants.ts';
import type { Home } from '../../identity/credentials/machine-credentials/store.ts';
import { createNewId } from '../../platform/new-id.ts';
import { explainingDatabase } from '../../platform/readiness/database-trouble.ts';
import { keysInUse } from './encryption-keys.ts';
import { findDatabase, withIdentity } from './with-database.ts';
import { print } from './serving/role.ts';
import { toTable, visible } from './printing.ts';

type Output = { json: boolean };

const placeText = ({ organisation, app, environment }: Home): string =>
  `environment ${environment} of the app ${visible(app)} of ${visible(organisation)}`;

/** `posthorn machine-credentials create`: prints its id and its secret, which cannot be shown again; with `json`, all fields. */
export async function createMachineCredential(
  { app, ...credential }: Omit<OperatorMachineCredential, 'appId'> & { app: string | undefined },
  { json }: Output,
): Promise<void> {
  const { id: appId } = await withIdentity(({ apps }) => apps.operator.find(app));
  const { created, place } = await withCredentials(
    (credentials) => credentials.operator.create({ ...credential, appId }),
    {
      isSealing: true,
    },
  );
  if (json) return print(JSON.stringify({ ...created, place }, undefined, 2));
  print(`Created in the ${placeText(place)}. The secret cannot be shown again.`);
  print(`client_id ${created.id}`);
  print(`secret    ${created.clientSecret}`);
}

/** `posthorn machine-credentials list`: all of them, or those of one app or one kind of environment, without secrets. */
export async function listMachineCredentials(
  { app, environment }: { app: string | undefined; environment: EnvironmentKind | undefined },
  { json }: Output,
): Promise<void> {
  const appId = app === undefined ? undefined : (await withIdentity(({ apps }) => apps.operator.find(app))).id;
  const found = await withCredentials((credentials) => credentials.operator.list({ appId, kind: environment }));
  if (json) return print(JSON.stringify(found, undefined, 2));
  print(
    toTable([
      ['ID', 'APP', 'ENVIRONMENT', 'TIER', 'STATUS', 'SECRETS', 'NAME'],
      ...found.map(({ id, place, tier, status, secrets, name }) => [
        id,
        visible(place.app),
        place.environment,
        tier,
        status,
        secrets.map(({ last4 }) => `ocs_…${last4}`).join(' ') || 'none',
        visible(name),
      ]),
    ]),
  );
}

/** `posthorn machine-credentials revoke`: takes effect in every process within 5 s, and ends its tokens. */
export async function revokeMachineCredential(id: string): Promise<void> {
  const place = await withCredentials((credentials) => credentials.operator.revoke(id));
  print(`Revoked ${id} in the ${placeText(place)}`);
}

/** With `isSealing`, first verifies that the keys of this command are those of the database, as the service does. */
async function withCredentials<T>(
  work: (credentials: MachineCredentials) => Promise<T>,
  { isSealing = false } = {},
): Promise<T> {
  const config: Config = readConfig();
  const databaseUrl = findDatabase(config);
  return explainingDatabase({ ...config, databaseUrl }, async () => {
    const db = createDatabase(databaseUrl);
    const pool = createPool(databaseUrl, { max: 1 });
    try {
      const keyRing = isSealing ? await provenRing(pool, config) : NOTHING_TO_SEAL;
      const deps = { db, tenants: createTenants({ db, pool }), clock: () => new Date(), newId: createNewId(Date.now) };
      const audit = createAudit(deps);
      return await work(createMachineCredentials({ ...deps, keyRing }, { audit }));
    } finally {
      await Promise.all([db.$disconnect(), pool.end()]);
    }
  });
}

async function provenRing(pool: Pool, config: Config): Promise<KeyRing> {
  const keys = keysInUse(config, 'so that the secret is encrypted with a key that the service has');
  await proveKeys(pool, keys);
  return createKeyRing(keys);
}

/** Listing and revoking decrypt no secret. */
const refuse = (): never => {
  throw new Error('This command has no encryption keys');
};
const NOTHING_TO_SEAL: KeyRing = { encrypt: refuse, decrypt: refuse, derive: refuse };
