import type { NewApiKey } from '../identity/credentials/api-keys/schema.ts';
import type { ApiKeys } from '../identity/credentials/api-keys/service.ts';
import { ensureSystemChannels } from '../messaging/channels/store.ts';
import type { DatabaseTransaction } from '../platform/db/client.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../kernel/words/rights.ts';

export type FirstKeys = Record<EnvironmentKind, NewApiKey>;

// Any number, but the same in every process, so that two that start at once on an empty database create only one organisation.
const LOCK_NUMBER = 7_220_634;

/**
 * Creates the organisation, its app and the app's two environments with their system channels, if they do not exist. Safe to repeat and
 * to run concurrently.
 */
export async function ensureEnvironments({ db, newId }: Pick<Dependencies, 'db' | 'newId'>): Promise<void> {
  await db.$transaction(async (transaction) => {
    // The cast: Prisma cannot read a `void` column.
    await transaction.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})::text`;
    const organisation =
      (await transaction.organisation.findFirst()) ??
      (await transaction.organisation.create({ data: { id: newId('organisation'), name: 'Default' } }));
    const app =
      (await transaction.app.findFirst({ where: { organisationId: organisation.id } })) ??
      (await transaction.app.create({
        data: { id: newId('app'), organisationId: organisation.id, name: 'Default', slug: 'default' },
      }));
    for (const kind of ENVIRONMENT_KINDS) await ensureEnvironment(transaction, app.id, kind, newId('environment'));
    await ensureSystemChannels(transaction);
  });
}

/**
 * Creates a live and a test key of tier Enterprise, with 10 batches a minute as in every tier (spec §8), if the database has no API key
 * at all. Their values cannot be read later.
 */
export async function createFirstKeys(
  { db }: Pick<Dependencies, 'db'>,
  apiKeys: Pick<ApiKeys, 'operator'>,
): Promise<FirstKeys | undefined> {
  if ((await db.apiKey.findFirst({ select: { id: true } })) !== null) return undefined;
  const create = (environment: EnvironmentKind): Promise<NewApiKey> =>
    apiKeys.operator.create({ environment, name: 'First key', tier: 'enterprise' });
  return { live: await create('live'), test: await create('test') };
}

async function ensureEnvironment(
  transaction: DatabaseTransaction,
  appId: string,
  kind: EnvironmentKind,
  id: string,
): Promise<void> {
  await transaction.environment.upsert({
    where: { appId_kind: { appId, kind } },
    create: { id, appId, kind },
    update: {},
  });
}
