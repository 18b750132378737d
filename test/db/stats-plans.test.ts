import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { COUNTED_CODES } from '../../src/kernel/words/outcomes.ts';
import { countSubscriptions, findChannelIds, findCounted } from '../../src/stats/store.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const MINUTE = 60_000;
const CHANNELS = 20;
// Minutes of two days, and hours of the same: what is kept of a busy channel.
const KEPT = 2 * 1_440;

let posthorn: TestPosthorn;
// One session, so that what it reads is counted when it says so.
let db: Database;
let environmentId: string;
const ids: string[] = [];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
  for (let n = 0; n < CHANNELS; n += 1) ids.push((await createChannel(posthorn)).id);
  ({ environmentId } = await posthorn.deps.db.channel.findFirstOrThrow({ where: { id: ids[0] ?? '' } }));
  for (const channelId of ids) await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  const { pool } = posthorn.deps;
  // Statistics of a time with little of it.
  await pool.query('ANALYZE stat_counts, subscriptions, channels');
  for (const code of [COUNTED_CODES.accepted, 200, 503])
    await pool.query(
      `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
       SELECT o.id, $2, 1, date_trunc('minute', now()) - make_interval(mins => n), $3, 63, 1
       FROM unnest($1::text[]) o (id), generate_series(0, $4::int - 1) n`,
      [ids, environmentId, code, KEPT],
    );
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

test('figures of a page of channels read the span alone, of all that is kept', async () => {
  const since = new Date(Date.now() - 60 * MINUTE);
  const span = { since, until: new Date(), stepMs: 5 * MINUTE, minutes: 1 };
  const code = COUNTED_CODES.accepted;
  const read = await rowsRead(db, ['stat_counts'], async () => {
    const counted = await findCounted(db, { environmentId, ofIds: ids, code }, span);
    const sum = counted.reduce((before, { count }) => before + count, 0);
    // A minute may begin while this is written.
    expect(sum).toBeGreaterThanOrEqual(CHANNELS * 59);
    expect(sum).toBeLessThanOrEqual(CHANNELS * 61);
  });
  expect(read).toBeGreaterThan(0);
  // All three codes of an hour at most, and each of its rows beside its entry of the index.
  expect(read).toBeLessThanOrEqual(CHANNELS * 61 * 6);
});

test('subscriptions of a page of channels are counted along an index, and no channel beyond its bound', async () => {
  const [busy = ''] = ids;
  const { pool } = posthorn.deps;
  const { rows } = await pool.query<{ column_name: string }>(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'subscriptions' AND column_name <> 'id'`,
  );
  const columns = rows.map(({ column_name }) => column_name).join(', ');
  await pool.query(
    `INSERT INTO subscriptions (id, ${columns})
     SELECT left(id, -5) || lpad(n::text, 5, '0'), ${columns} FROM subscriptions, generate_series(1, 20000) n WHERE channel_id = $1`,
    [busy],
  );
  const read = await rowsRead(db, ['subscriptions'], async () => {
    const counts = await countSubscriptions(db, environmentId, ids);
    expect(counts.get(busy)).toBe(1_001);
    expect([...counts.values()].filter((count) => count === 1)).toHaveLength(CHANNELS - 1);
  });
  expect(read).toBeLessThanOrEqual(2 * (1_001 + CHANNELS));
});

test('a page of channels is found by its ids or by its place', async () => {
  for (const named of [ids, undefined]) {
    const read = await rowsRead(db, ['channels'], async () => {
      expect((await findChannelIds(db, environmentId, named)).length).toBeGreaterThanOrEqual(CHANNELS);
    });
    expect(read).toBeLessThanOrEqual(300);
  }
});
