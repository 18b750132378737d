import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPool } from '../../src/db/connections/pool.ts';
import { createDueRows, type DueRows } from '../../src/dispatch/loop/claims/due-rows.ts';
import { PATIENT } from '../support/service/patience.ts';
import { FINISHED, openLongSnapshot, PAUSED, pagesRead } from '../support/world/long-snapshot.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

// Page budget of one claim of an empty queue, whatever else the tables hold (8 KiB pages of deliveries and its indexes).
const PAGES = 30;

let posthorn: TestPosthorn;
// One session, so that its prepared statements and its share of the statistics are those of the test.
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

/** Pages that `act` reads, on average over ten times: PostgreSQL keeps a plan for good after five. */
async function pagesOf(act: () => Promise<unknown>): Promise<number> {
  const before = await pagesRead(pool);
  for (let time = 0; time < 10; time += 1) await act();
  return ((await pagesRead(pool)) - before) / 10;
}

/** Claims of a dispatcher that is woken or polls, with room for everything. Returns how many deliveries it got. */
async function claimBoth(due: DueRows): Promise<number> {
  due.expect();
  while (await due.look()) {
    // on while there is more to read
  }
  let count = 0;
  for (const lane of ['first', 'retry'] as const)
    while (due.has(lane)) count += (await due.claim(lane, { count: 40, perSubscription: 10, except: [] })).length;
  return count;
}

// Old: each claim walked over the index entries of everything that had been finished since the snapshot, 6,600 pages a lane.
describe(`with a snapshot open while ${FINISHED} deliveries were made and finished, and ${PAUSED} subscriptions paused`, () => {
  test(`a claim of an empty queue reads at most ${PAGES} pages, both lanes together`, async () => {
    const due = createDueRows({ pool, incarnationId: 'inc_living' });
    await claimBoth(due);

    expect(await pagesOf(async () => expect(await claimBoth(due)).toBe(0))).toBeLessThan(PAGES);
  });

  test('messages for a paused subscription cost a claim their own rows, and are not claimed', async () => {
    const due = createDueRows({ pool, incarnationId: 'inc_living' });
    await claimBoth(due);
    await posthorn.deps.pool.query(
      `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, due_at, max_retries, initial_delay,
         max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), environment_id, channel_id, posthorn_id('msg'), id, now(), 3, 1000, 1000, 1
       FROM subscriptions WHERE status = 'paused' LIMIT 100`,
    );

    const before = await pagesRead(pool);
    expect(await claimBoth(due)).toBe(0);
    expect((await pagesRead(pool)) - before).toBeLessThan(PAGES + 400);
    expect(await pagesOf(async () => expect(await claimBoth(due)).toBe(0))).toBeLessThan(PAGES + 100);
  });
});

// Old: 8 pages and a subscription for each step of the walk, for 5,000 of them, twice a second.
test('a delivery of an active subscription is claimed beside them, for some pages more', async () => {
  const due = createDueRows({ pool, incarnationId: 'inc_living' });
  await claimBoth(due);
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, due_at, max_retries, initial_delay,
       max_delay, backoff_multiplier)
     SELECT posthorn_id('dlv'), environment_id, channel_id, posthorn_id('msg'), id, now(), 3, 1000, 1000, 1
     FROM subscriptions WHERE status = 'active' LIMIT 1
     RETURNING message_id AS id`,
  );
  await posthorn.deps.pool.query(
    `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     SELECT message_id, environment_id, channel_id, 'a.b', '{}', now() FROM deliveries WHERE message_id = $1`,
    [rows[0]?.id],
  );

  const before = await pagesRead(pool);
  expect(await claimBoth(due)).toBe(1);
  expect((await pagesRead(pool)) - before).toBeLessThan(PAGES + 70);
});
