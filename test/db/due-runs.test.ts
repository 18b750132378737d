import { afterAll, beforeAll, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { createRunsWaker, DUE_RUNS_CHANNEL } from '../../src/db/waking/due-runs.ts';
import { createLog } from '../../src/log.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

let database: TestDatabase;
let listener: PoolClient;
let heard = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  listener = await database.pool.connect();
  listener.on('notification', () => {
    heard += 1;
  });
  await listener.query(`LISTEN ${DUE_RUNS_CHANNEL}`);
});
afterAll(async () => {
  listener.release();
  await database.drop();
});

test('a burst of publishes wakes workers at once and once more behind its last commit', async () => {
  const wake = createRunsWaker(database.pool, createLog('silent'));
  for (let commit = 0; commit < 100; commit += 1) wake();
  await waitFor('the notification behind the burst', () => heard === 2);
  wake();
  await waitFor('one for a commit after it', () => heard === 3);
});
