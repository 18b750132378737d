import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { createTenants, type Tenants } from '../../src/db/tenants.ts';
import { countLeftOfChannel, MOST_LEFT_LOOKED_AT } from '../../src/stats/backlog-store.ts';
import { countUnfinished, countWaiting, MOST_COUNTED, MOST_RUNS_LOOKED_AT } from '../../src/stats/store.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const SUBSCRIPTIONS = 100;
const BACKLOG = 20_000;
/** Rows, by whose they are and where they are in their life (src/deliveries/states.md). */
const ROWS = [
  { of: 0, count: BACKLOG, isDue: true, carrier: 'NULL', holder: 'NULL', tries: 0 },
  { of: 1, count: BACKLOG, isDue: true, carrier: 'NULL', holder: 'NULL', tries: 1 },
  { of: 2, count: BACKLOG, isDue: true, carrier: `'delivery/' || n`, holder: 'NULL', tries: 1 },
  // Ended ones keep their carrier, and claimed ones are being tried.
  { of: 3, count: BACKLOG, isDue: false, carrier: `'delivery/' || n`, holder: 'NULL', tries: 1 },
  { of: 4, count: BACKLOG, isDue: true, carrier: 'NULL', holder: `'inc_1'`, tries: 0 },
  ...Array.from({ length: SUBSCRIPTIONS - 5 }, (_, n) => {
    return { of: n + 5, count: 1, isDue: true, carrier: 'NULL', holder: 'NULL', tries: n % 2 };
  }),
];

let posthorn: TestPosthorn;
// One session, so that what it reads is counted when it says so.
let db: Database;
let tenants: Tenants;
let place: { organisationId: string; environmentId: string };
let ids: string[];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
  tenants = createTenants({ db, pool: posthorn.database.pool });
  const { id: channelId } = await createChannel(posthorn);
  ids = [];
  for (let n = 0; n < SUBSCRIPTIONS; n += 1)
    ids.push((await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' })).id);
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const { id: organisationId } = await db.organisation.findFirstOrThrow();
  place = { organisationId, environmentId };
  // Statistics of a time with nothing of it.
  await posthorn.deps.pool.query('ANALYZE deliveries, runs');
  for (const { of, count, isDue, carrier, holder, tries } of ROWS)
    await posthorn.deps.pool.query(
      `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, policy_attempts,
         due_at, holder, carrier, max_retries, initial_delay, max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), $1, $2, posthorn_id('msg'), $3, 'a.b', $4, $5, $5::int, ${isDue ? "now() + n * interval '1 second'" : 'NULL'},
         ${holder}, ${carrier}, 3, 1000, 1000, 1 FROM generate_series(1, $6::int) n`,
      [environmentId, channelId, ids[of], isDue ? (tries === 0 ? 'pending' : 'retrying') : 'delivered', tries, count],
    );
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

test.each(['of a calm time', 'of this one'])(
  'waiting deliveries of a page of subscriptions are counted along their indexes, no backlog beyond its bound, with statistics %s',
  async (statistics) => {
    if (statistics === 'of this one') await posthorn.deps.pool.query('ANALYZE deliveries');
    const read = await rowsRead(db, ['deliveries'], async () => {
      const counts = await tenants.list(place, (transaction) => countWaiting(transaction, ids));
      expect(ids.map((id) => counts.get(id))).toEqual([
        ...Array.from({ length: 3 }, () => MOST_COUNTED + 1),
        0,
        0,
        ...Array.from({ length: SUBSCRIPTIONS - 5 }, () => 1),
      ]);
    });
    // Each counted row beside its entry of the index.
    expect(read).toBeLessThanOrEqual(2 * (3 * (MOST_COUNTED + 1) + SUBSCRIPTIONS));
  },
);

test('deliveries of a channel are looked for among so many of the environment, and the answer says that there may be more', async () => {
  const { id: calm } = await createChannel(posthorn);
  const count = (channelId: string) =>
    tenants.list(place, (transaction) =>
      countLeftOfChannel(transaction, { environmentId: place.environmentId, channelId, status: 'pending' }),
    );
  const read = await rowsRead(db, ['deliveries'], async () => {
    expect(await count(calm)).toEqual({ count: 0, oldestId: null, isCut: true });
  });
  expect(read).toBeLessThanOrEqual(2 * MOST_LEFT_LOOKED_AT);
  const { channelId: busy } = await db.subscription.findUniqueOrThrow({ where: { id: ids[0] ?? '' } });
  expect(await count(busy)).toMatchObject({ count: MOST_LEFT_LOOKED_AT, isCut: true });
});

test.each(['of a calm time', 'of this one'])(
  'unfinished runs are counted to a bound, of the environment and of one workflow of it, with statistics %s',
  async (statistics) => {
    const { pool } = posthorn.deps;
    if (statistics === 'of this one') await pool.query('ANALYZE runs');
    else {
      const make = () => workflowCalls(posthorn).activate({ type: 'manual' }, [{ id: 'note', type: 'action' }]);
      const [busy, calm] = [await make(), await make()];
      for (const [workflowId, status, count] of [
        [calm, 'running', 3],
        [busy, 'waiting', BACKLOG],
        [busy, 'completed', BACKLOG],
        [calm, 'waiting', 2],
      ])
        await pool.query(
          `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, finished_at)
           SELECT posthorn_id('run'), $1, $2, 1, $3, 'manual', CASE $3 WHEN 'completed' THEN now() END FROM generate_series(1, $4::int)`,
          [place.environmentId, workflowId, status, count],
        );
    }
    const { workflowId: calm } = await db.run.findFirstOrThrow({ where: { status: 'running' } });
    const counts: unknown[] = [];
    const ofAll = await rowsRead(db, ['runs'], async () => {
      counts.push(await tenants.list(place, (each) => countUnfinished(each, place.environmentId, undefined)));
    });
    const ofOne = await rowsRead(db, ['runs'], async () => {
      counts.push(await tenants.list(place, (each) => countUnfinished(each, place.environmentId, calm)));
    });
    expect(counts).toEqual([
      { count: MOST_COUNTED + 4, isMore: true },
      { count: 5, isMore: true },
    ]);
    expect(ofAll).toBeLessThanOrEqual(2 * (MOST_COUNTED + 4));
    expect(ofOne).toBeLessThanOrEqual(2 * (MOST_RUNS_LOOKED_AT + 4));
  },
);
