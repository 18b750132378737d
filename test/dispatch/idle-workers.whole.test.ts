import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { wakeWorkers } from '../../src/platform/db/waking.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { releaseDeliveries } from '../../src/delivery/record/statements/release.ts';
import { createDueRows, type DueRows } from '../../src/delivery/queue/loop/claims/due-rows.ts';
import { createTakeOver } from '../../src/delivery/queue/recovery/incarnation.ts';
import { listenForDue } from '../../src/delivery/queue/loop/listen-for-due.ts';
import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { holderOf } from '../support/make/holder.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';

// An idle worker looks only at rows that have become due within the last seconds, and looks everywhere every 30 s. In these tests a
// row becomes claimable that was due long before, and must be claimed long before that look.
const LONG_AGO = '1 hour';
const WITHIN_MS = 15_000;
const WORKER = 'inc_looking';
const OTHER = 'inc_other';

const newId = createNewId(Date.now);
let posthorn: TestPosthorn;
let due: DueRows;
let notices: string[];
let listener: { stop(): Promise<void> };
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
/** A worker that has been idle: it listens, and its looks are far behind everything that a test makes claimable. */
beforeEach(async () => {
  due = createDueRows({ pool: posthorn.deps.pool, incarnationId: WORKER });
  notices = [];
  let isListening = false;
  listener = listenForDue(posthorn.deps.pool, posthorn.deps.log, {
    onBegin: () => {
      isListening = true;
    },
    onNotice: (notice) => {
      notices.push(notice);
      due.hear(notice);
    },
  });
  await waitFor('the worker to listen', () => isListening);
  await look();
});
afterEach(() => listener.stop());

async function look(): Promise<void> {
  due.expect();
  while (await due.look()) {
    // on while there is more to read
  }
}

/** Deliveries that the worker claims now, as often as it asks. */
async function claimed(): Promise<string[]> {
  await look();
  const ids: string[] = [];
  for (const lane of ['first', 'retry'] as const) {
    while (due.has(lane))
      for (const { id } of await due.claim(lane, { count: 40, perSubscription: 10, except: [] })) ids.push(id);
  }
  return ids;
}

const untilClaimed = (id: string): Promise<true> =>
  waitFor('the idle worker to claim it', async () => (await claimed()).includes(id), WITHIN_MS);

type Made = { id: string; subscriptionId: string };

/** A delivery of a subscription of its own, in that state, without a notification. */
async function delivery(state: string): Promise<Made> {
  const { id: channelId } = await createChannel(posthorn);
  const { id: subscriptionId } = await createSubscription(posthorn, {
    channelId,
    webhookUrl: 'http://127.0.0.1:4000/',
  });
  await publish(channelId);
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    `UPDATE deliveries SET ${state} WHERE subscription_id = $1 RETURNING id`,
    [subscriptionId],
  );
  return { id: rows[0]?.id ?? '', subscriptionId };
}

/** Stores a message as a publish does that hands over to another worker. */
async function publish(channelId: string): Promise<void> {
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const message = {
    id: newId('message'),
    eventType: 'a.b',
    payload: '{}',
    metadata: undefined,
    publishedAt: new Date(),
  };
  await storePublications(posthorn.deps.pool, [{ environmentId, channelId, messages: [message] }], holderOf(OTHER));
}

const order = (sql: string, values: unknown[]): Promise<unknown> => posthorn.deps.pool.query(sql, values);
const HELD = `holder = '${OTHER}', due_at = now() - interval '${LONG_AGO}'`;
const FINISHED = `holder = NULL, due_at = NULL, status = 'failed'`;

test.each<[what: string, state: string, act: (made: Made) => Promise<unknown>]>([
  [
    'a row that another process gives back',
    HELD,
    ({ id }) => releaseDeliveries(posthorn.deps.pool, { ids: [id], incarnationId: OTHER }),
  ],
  [
    'a row of a worker that died',
    HELD,
    async () => {
      await order(`INSERT INTO incarnations (id, expires_at) VALUES ($1, now() - interval '1 second')`, [OTHER]);
      expect(await createTakeOver(posthorn.deps.pool)()).toBe(1);
    },
  ],
  [
    'a row made due in the past',
    FINISHED,
    ({ id }) =>
      order(`UPDATE deliveries SET status = 'pending', due_at = now() - interval '${LONG_AGO}' WHERE id = $1`, [id]),
  ],
  [
    'a retry made due in the past',
    `${FINISHED}, policy_attempts = 1`,
    ({ id }) =>
      order(`UPDATE deliveries SET status = 'retrying', due_at = now() - interval '${LONG_AGO}' WHERE id = $1`, [id]),
  ],
  [
    'a row whose Temporal workflow is gone',
    `holder = NULL, carrier = 'delivery/gone/1', due_at = now() - interval '${LONG_AGO}'`,
    ({ id }) => order('UPDATE deliveries SET carrier = NULL, round = 2 WHERE id = $1', [id]),
  ],
])('%s long past its time is claimed by an idle worker', async (_what, state, act) => {
  const made = await delivery(state);
  expect(await claimed()).toEqual([]);
  await act(made);
  await untilClaimed(made.id);
});

// Old: a place that only moves forward passes a row by that is committed behind it.
test('a row whose transaction commits long after its due time is claimed by an idle worker', async () => {
  const made = await delivery(FINISHED);
  await inTransaction(posthorn.deps.pool, async (connection) => {
    await connection.query(`UPDATE deliveries SET status = 'pending', due_at = now() WHERE id = $1`, [made.id]);
    // Longer than the 2 s after which no look comes back to it; the worker goes on looking meanwhile.
    const until = Date.now() + 4_000;
    while (Date.now() < until) {
      expect(await claimed()).toEqual([]);
      await sleep(200);
    }
  });
  await untilClaimed(made.id);
});

// The trigger of such a row saw it in time: only its publisher knows how long the disk or a standby took.
test('a row whose commit took long is claimed by an idle worker once its publisher tells', async () => {
  const made = await delivery(FINISHED);
  await inTransaction(posthorn.deps.pool, async (connection) => {
    await connection.query('ALTER TABLE deliveries DISABLE TRIGGER deliveries_tell_late');
    await connection.query(`UPDATE deliveries SET status = 'pending', due_at = now() - interval '5 s' WHERE id = $1`, [
      made.id,
    ]);
    await connection.query('ALTER TABLE deliveries ENABLE TRIGGER deliveries_tell_late');
  });
  expect(await claimed()).toEqual([]);

  await wakeWorkers(posthorn.deps.pool, { lateMs: 5_000 });
  await untilClaimed(made.id);
});

test.each<[what: string, held: string, opened: string]>([
  ['resumed', `status = 'paused'`, `status = 'active'`],
  [
    'closed the circuit of',
    `circuit_opened_at = now(), circuit_probe_at = now() + interval '1 hour'`,
    `circuit_opened_at = NULL, circuit_probe_at = NULL`,
  ],
  [
    'given an earlier probe',
    `circuit_opened_at = now(), circuit_probe_at = now() + interval '1 hour'`,
    `circuit_probe_at = now()`,
  ],
])('a subscription that another process has %s has its rows claimed by an idle worker', async (_what, held, opened) => {
  const { id, subscriptionId } = await delivery(HELD);
  await order(`UPDATE subscriptions SET ${held} WHERE id = $1`, [subscriptionId]);
  await releaseDeliveries(posthorn.deps.pool, { ids: [id], incarnationId: OTHER });
  await waitFor('the worker to be told of the row', () => notices.some((notice) => notice.includes(subscriptionId)));
  // The worker asks, and learns that the subscription takes nothing.
  expect(await claimed()).toEqual([]);
  expect([due.has('first'), due.has('retry')]).toEqual([false, false]);

  await order(`UPDATE subscriptions SET ${opened} WHERE id = $1`, [subscriptionId]);
  await untilClaimed(id);
});

// A NOTIFY makes commits queue for one lock, so a commit in time sends none.
test('publishing, claiming and recording in time tell nobody anything', async () => {
  // In the time to come: a commit that a stall delays is in time all the same.
  const { id } = await delivery(`holder = NULL, due_at = now() + interval '3 seconds'`);
  await waitFor('the worker to find it by itself', async () => (await claimed()).includes(id));
  await order(
    `UPDATE deliveries SET holder = NULL, due_at = now() + interval '1 minute', policy_attempts = 1 WHERE id = $1`,
    [id],
  );
  await order(`UPDATE deliveries SET holder = $2 WHERE id = $1`, [id, OTHER]);
  await order(`UPDATE deliveries SET ${FINISHED} WHERE id = $1`, [id]);
  // PostgreSQL delivers in order.
  await order(`SELECT pg_notify('posthorn_due', 'the end')`, []);
  await waitFor('the last notification', () => notices.includes('the end'));

  expect(notices.filter((notice) => notice !== 'the end')).toEqual([]);
});

test('thousands of rows of one subscription that are given back together are told of in a few notifications', async () => {
  const { subscriptionId } = await delivery(FINISHED);
  await order(
    `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, holder, due_at, max_retries,
       initial_delay, max_delay, backoff_multiplier)
     SELECT posthorn_id('dlv'), s.environment_id, s.channel_id, posthorn_id('msg'), s.id, $2, now() - n * interval '1 second', 3, 1000, 1000, 1
     FROM subscriptions s CROSS JOIN generate_series(1, 5000) n WHERE s.id = $1`,
    [subscriptionId, OTHER],
  );
  await order('UPDATE deliveries SET holder = NULL WHERE subscription_id = $1', [subscriptionId]);
  await order(`SELECT pg_notify('posthorn_due', 'the end')`, []);
  await waitFor('the last notification', () => notices.includes('the end'));

  const told = notices.filter((notice) => notice.includes(subscriptionId));
  expect([told.length > 0, told.length < 50]).toEqual([true, true]);
  await order(`UPDATE deliveries SET ${FINISHED} WHERE subscription_id = $1`, [subscriptionId]);
});
