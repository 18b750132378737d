import type { OperatorApiKey } from '../../identity/credentials/api-keys/service.ts';
import type { ApiKey } from '../../identity/credentials/api-keys/schema.ts';
import type { EnvironmentKind } from '../../kernel/words/rights.ts';
import { print, say } from './serving/role.ts';
import { toTable, visible } from './printing.ts';
import { withIdentity } from './with-database.ts';

type Output = { json: boolean };

/** `app`: its id or slug. Default: the only one. */
type OperatorKey = Omit<OperatorApiKey, 'appId'> & { app: string | undefined };
type KeysOf = { app: string | undefined; environment: EnvironmentKind | undefined };

/**
 * `posthorn keys create`: prints only the key to stdout, so that a script can use it, and to stderr what it belongs to; with `json`,
 * all fields.
 */
export async function createKey({ app, ...key }: OperatorKey, { json }: Output): Promise<void> {
  await withIdentity(async ({ apiKeys, apps }) => {
    const { id: appId, slug } = await apps.operator.find(app);
    const created = await apiKeys.operator.create({ ...key, appId });
    if (!json) say(`API key ${created.id} of the app ${slug} (${appId}), environment ${key.environment}:`);
    print(json ? JSON.stringify(created, undefined, 2) : created.key);
  });
}

/** `posthorn keys list`: every key of an app, in one environment or both, without the keys themselves. */
export async function listKeys({ app, environment: kind }: KeysOf, { json }: Output): Promise<void> {
  await withIdentity(async ({ apiKeys, apps }) => {
    const { id: appId, slug } = await apps.operator.find(app);
    const keys = await apiKeys.operator.list({ appId, kind });
    print(json ? JSON.stringify(keys, undefined, 2) : describeKeys(keys, slug));
  });
}

/** `posthorn keys revoke`: takes effect here at once, in other processes within 5 s. */
export async function revokeKey(id: string): Promise<void> {
  await withIdentity(async ({ apiKeys, apps }) => {
    const { appId, environment } = await apiKeys.operator.revoke(id);
    const { slug } = await apps.operator.find(appId);
    print(`Revoked ${id} of the app ${slug} (${appId}), environment ${environment}`);
  });
}

const describeKeys = (keys: readonly ApiKey[], app: string): string =>
  toTable([
    ['ID', 'APP', 'ENVIRONMENT', 'TIER', 'STATUS', 'KEY', 'NAME'],
    ...keys.map(({ id, environment, tier, status, prefix, last4, name }) => [
      id,
      app,
      environment,
      tier,
      status,
      `${prefix}…${last4}`,
      // The name may have been stored before control characters were rejected.
      visible(name),
    ]),
  ]);
