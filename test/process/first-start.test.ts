import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ApiKeys } from '../../src/identity/api-keys/service.ts';
import { createFirstKeys, ensureEnvironments } from '../../src/process/seed.ts';
import { createLog } from '../../src/log.ts';
import { createNewId } from '../../src/new-id.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';

let database: TestDatabase;
let apiKeys: ApiKeys;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db, tenants } = database;
  const deps = { db, tenants, clock: () => new Date(), newId: createNewId(Date.now), log: createLog('silent') };
  await ensureEnvironments(deps);
  apiKeys = apiKeysOf(deps);
});
afterAll(async () => {
  await apiKeys.settled();
  await database.drop();
});

// Old: they had a limit of their own, 100,000 batches a minute, where spec §8 says 10 and every other key has 10.
test('the keys of the first start have 10 batches a minute and for the rest what Enterprise has; a second start makes none', async () => {
  const keys = await createFirstKeys(database, apiKeys);
  const limits = { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 };
  expect(keys).toMatchObject({
    live: { environment: 'live', tier: 'enterprise', limits },
    test: { environment: 'test', tier: 'enterprise', limits },
  });
  expect(await createFirstKeys(database, apiKeys)).toBeUndefined();
});
