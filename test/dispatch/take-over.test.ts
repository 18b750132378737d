import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPool } from '../../src/db/connections/pool.ts';
import { createTakeOver, takeOverFromDead } from '../../src/dispatch/recovery/incarnation.ts';
import { PATIENT } from '../support/service/patience.ts';
import { FINISHED, openLongSnapshot, pagesRead } from '../support/world/long-snapshot.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
// One session, so that its share of the statistics is that of the test.
let pool: Pool;
let closeSnapshot: () => Promise<void>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  closeSnapshot = await openLongSnapshot(posthorn);
  pool = createPool(posthorn.database.url, { max: 1, ...PATIENT });
});
afterAll(async () => {
  await closeSnapshot();
  await pool.end();
  await posthorn.stop();
});

const dies = (id: string): Promise<unknown> =>
  posthorn.deps.pool.query(
    `INSERT INTO incarnations (id, expires_at) VALUES ($1, now() - interval '1 second')
     ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
    [id],
  );
const holds = (id: string): Promise<unknown> =>
  posthorn.deps.pool.query(
    `UPDATE deliveries SET holder = $1 WHERE id = (SELECT id FROM deliveries WHERE due_at IS NOT NULL AND holder IS NULL LIMIT 1)`,
    [id],
  );

// Old: every two seconds each worker walked over the index entries of all that had been held since the snapshot.
test(`looking after dead workers reads nothing while none has died, though ${FINISHED} deliveries were held under a snapshot`, async () => {
  const takeOver = createTakeOver(pool);
  await takeOver();

  const before = await pagesRead(pool);
  for (let time = 0; time < 10; time += 1) expect(await takeOver()).toBe(0);
  expect((await pagesRead(pool)) - before).toBe(0);
});

// Old: a look at a time counted no takeover, so that a delivery which kills its workers went on to do so.
test('claims of a dead worker are freed and counted, also those of one that comes to life and dies again', async () => {
  const takeOver = createTakeOver(pool);
  await dies('inc_first');
  await holds('inc_first');
  expect(await takeOver()).toBe(1);
  // The worker had committed this claim just before it died for good.
  await holds('inc_first');
  await dies('inc_first');
  expect(await takeOver()).toBe(1);
  expect(await takeOver()).toBe(0);
  const { rows } = await pool.query<{ count: number }>('SELECT sum(takeovers)::int AS count FROM deliveries');
  expect(rows).toEqual([{ count: 2 }]);
});

// Old: after an outage of PostgreSQL the first worker to come back took the claims of the others, who went on to send as well.
test.each([
  ['by its leases', (isRecent: () => boolean) => createTakeOver(pool, { isRecent })],
  ['by its claims', (isRecent: () => boolean) => () => takeOverFromDead(pool, { isRecent })],
])('a worker whose own lease has lapsed lets others renew theirs before it calls one dead: %s', async (name, make) => {
  const id = `inc_away ${name}`;
  let isRecent = true;
  const takeOver = make(() => isRecent);
  await dies(id);
  await holds(id);
  expect(await takeOver()).toBe(0);
  isRecent = false;
  expect(await takeOver()).toBe(1);
});
