import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createBrokenTryActivities } from '../../activities/attempt-delivery.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createTakeOver, takeOverFromDead } from '../../src/delivery/queue/recovery/incarnation.ts';
import { createFaults } from '../../src/delivery/attempt/faults.ts';
import { holdDelivery } from '../../src/delivery/record/statements/hold.ts';
import { createRecorder } from '../../src/delivery/attempt/recorder.ts';
import { loadForAttempts } from '../../src/delivery/attempt/load.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  createChannel,
  createSubscription,
  type DeliveryJson,
  deliveryOf,
  type PageJson,
  publish,
  publishBatch,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { endAsDeadLetter, insertAttempt } from '../support/make/seed.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const sql = (text: string, values: unknown[] = []) => posthorn.deps.pool.query(text, values);

async function waiting() {
  const { id: channelId } = await createChannel(posthorn);
  const webhookUrl = 'http://127.0.0.1:4000/';
  const { id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl });
  const message = await publish(posthorn, channelId);
  return { channelId, subscriptionId, messageId: message.id, delivery: await seen(message.id) };
}

/** As the list and as the delivery itself show it. */
async function seen(messageId: string): Promise<DeliveryJson> {
  const listed = await deliveryOf(posthorn, messageId);
  if (listed === undefined) throw new Error('one delivery expected');
  expect((await posthorn.request('GET', `/v1/deliveries/${listed.id}`)).body).toEqual(listed);
  // The filter asks the database the same question.
  const filtered = async (held: string): Promise<string[]> => {
    const path = `/v1/deliveries?held=${held}&subscriptionId=${listed.subscriptionId}`;
    return (await posthorn.request<{ data: { id: string }[] }>('GET', path)).body.data.map(({ id }) => id);
  };
  expect([await filtered('true'), await filtered('false')]).toEqual(
    listed.held === undefined ? [[], [listed.id]] : [[listed.id], []],
  );
  return listed;
}

describe('a delivery shows what holds it', () => {
  test('a pause, from its beginning to the resume, and no retry that would not come', async () => {
    const { subscriptionId, messageId, delivery } = await waiting();
    expect(delivery).not.toHaveProperty('held');
    await sql(`UPDATE deliveries SET next_retry_at = now() + interval '1 hour' WHERE id = $1`, [delivery.id]);
    const before = Date.now();

    await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);

    const { held, nextRetryAt } = await seen(messageId);
    expect([held, nextRetryAt]).toEqual([{ reason: 'paused', since: expect.any(String) }, undefined]);
    expect(Date.parse(held?.since ?? '')).toBeGreaterThanOrEqual(before);
    // A later change of the subscription is no later pause.
    await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { name: 'renamed' });
    expect((await seen(messageId)).held).toEqual(held);
    await sql(`UPDATE deliveries SET holder = 'inc_1' WHERE id = $1`, [delivery.id]);
    expect(await seen(messageId)).not.toHaveProperty('held');
    await sql('UPDATE deliveries SET holder = NULL WHERE id = $1', [delivery.id]);
    await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
    expect(await seen(messageId)).not.toHaveProperty('held');
  });

  test('an open circuit, until the probe that nextRetryAt names', async () => {
    const { subscriptionId, messageId } = await waiting();
    await sql(
      `UPDATE subscriptions SET circuit_opened_at = now(), circuit_probe_at = now() + interval '30 s' WHERE id = $1`,
      [subscriptionId],
    );

    const { held, nextRetryAt } = await seen(messageId);

    expect(held).toEqual({ reason: 'circuit', since: expect.any(String), until: nextRetryAt });
  });

  test('a limit of its subscription, since the first try that had to wait', async () => {
    const { messageId, delivery, subscriptionId } = await waiting();
    const until = new Date(Date.now() + 60_000);
    await holdDelivery(posthorn.deps.pool, { deliveryId: delivery.id, round: 1, until, isForLimit: true });
    const first = await seen(messageId);
    expect(first.held).toEqual({ reason: 'rate_limit', since: expect.any(String), until: until.toISOString() });
    const later = new Date(Date.now() + 120_000);

    await holdDelivery(posthorn.deps.pool, { deliveryId: delivery.id, round: 2, until: later, isForLimit: true });

    expect((await seen(messageId)).held).toEqual({ ...first.held, until: later.toISOString() });
    // A pause and its resume begin anew.
    await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);
    await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
    expect(await seen(messageId)).not.toHaveProperty('held');
  });

  test('a fault of ours, whose pauses grow to an hour', async () => {
    const { messageId, delivery } = await waiting();
    const faults = createFaults({ pool: posthorn.deps.pool, log: createLog('silent'), now: Date.now });
    const pauses = [];
    for (const [round, age] of ['0 s', '1 s', '10 minutes', '3 days'].entries()) {
      await sql('UPDATE deliveries SET held_since = now() - $2::interval, due_at = now() WHERE id = $1', [
        delivery.id,
        age,
      ]);
      const broken = { deliveryId: delivery.id, round: round + 1, number: 1 };
      expect(await faults.hold(broken, new Error('a bug'), { mayHaveBeenSent: false })).toEqual({ result: 'held' });
      const { rows } = await sql(
        'SELECT extract(epoch FROM due_at - now())::float8 AS s FROM deliveries WHERE id = $1',
        [delivery.id],
      );
      pauses.push(Math.ceil(Number(rows[0]?.s)));
    }

    // Each is at most what it says, by the time that asking takes.
    expect(pauses[0]).toBeLessThanOrEqual(1);
    expect(pauses[2]).toBeGreaterThan(500);
    // Longer by what has passed since the update.
    expect(pauses[2]).toBeLessThan(700);
    expect(pauses[3]).toBeGreaterThan(3_500);
    expect(pauses[3]).toBeLessThanOrEqual(3_600);
    expect((await seen(messageId)).held).toMatchObject({ reason: 'internal' });
    // A round that is over holds nothing.
    const over = { deliveryId: delivery.id, round: 1 };
    expect(await faults.hold(over, new Error('a bug'), { mayHaveBeenSent: false })).toEqual({ result: 'superseded' });
  });
});

describe('a delivery shows the error of its last attempt', () => {
  // Old: a failed delivery without an answer said `exhausted` and nothing else.
  test('when it failed without an answer, and none once it is delivered', async () => {
    const { messageId, delivery } = await waiting();
    await endAsDeadLetter(posthorn, delivery.id);
    await sql(
      `UPDATE attempts SET error_class = 'dns', error_message = 'the host name does not exist', response_status = NULL WHERE delivery_id = $1`,
      [delivery.id],
    );
    await sql('UPDATE deliveries SET response_status = NULL WHERE id = $1', [delivery.id]);

    expect(await seen(messageId)).toMatchObject({
      status: 'failed',
      reason: 'exhausted',
      error: { class: 'dns', message: 'the host name does not exist' },
    });
    expect(await seen(messageId)).not.toHaveProperty('response');
    await insertAttempt(posthorn, delivery.id, 2, { outcome: 'delivered', errorClass: null, errorMessage: null });
    await sql(`UPDATE deliveries SET attempts = 2, status = 'delivered', failure_reason = NULL WHERE id = $1`, [
      delivery.id,
    ]);
    expect(await seen(messageId)).not.toHaveProperty('error');
  });

  test('a page of a hundred reads one attempt of each, however many there are', async () => {
    const { channelId, subscriptionId } = await waiting();
    await publishBatch(posthorn, channelId, 99);
    await sql(
      `INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, error_message, carrier)
       SELECT posthorn_id('att'), d.id, n, now(), 1, 'failed', 'tls', 'try ' || n, 'x' FROM deliveries d, generate_series(1, 30) AS n
       WHERE d.subscription_id = $1`,
      [subscriptionId],
    );
    await sql(`UPDATE deliveries SET attempts = 30, status = 'retrying' WHERE subscription_id = $1`, [subscriptionId]);
    await sql('ANALYZE');
    const reads = async (): Promise<number> => {
      const { rows } = await sql(
        `SELECT idx_tup_read::int AS count, (SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'attempts')::int AS scans
         FROM pg_stat_user_indexes WHERE indexrelname = 'attempts_delivery_id_number_key'`,
      );
      return rows[0]?.count + 1_000_000 * rows[0]?.scans;
    };
    // Writing the attempts has read nothing of the index yet that is not told by now.
    await sql('SELECT pg_stat_force_next_flush()');
    const before = await reads();

    const path = `/v1/deliveries?subscriptionId=${subscriptionId}&limit=100`;
    const { body } = await posthorn.request<PageJson<DeliveryJson>>('GET', path);

    expect(new Set(body.data.map(({ error }) => error?.message))).toEqual(new Set(['try 30']));
    expect(body.data).toHaveLength(100);
    // A session tells of its reads a second later, or when it has more to tell of.
    await waitFor('the statistics', async () => (await reads()) >= before + 100);
    // A few are of earlier tests. All attempts of these deliveries would be 3,000.
    expect((await reads()) - before).toBeLessThan(200);
  });
});

describe('workers that die in tries of one delivery', () => {
  test('are counted under its policy: the second death holds it, the tenth ends it, and a replay begins anew', async () => {
    const { messageId, delivery } = await waiting();
    const faults = createFaults({ pool: posthorn.deps.pool, log: createLog('silent'), now: Date.now });
    const activities = createBrokenTryActivities({
      ...posthorn.deps,
      faults,
      whyEnded: () => Promise.resolve(undefined),
    });
    const die = async (): Promise<unknown> => {
      const { rows } = await sql('SELECT round, attempts FROM deliveries WHERE id = $1', [delivery.id]);
      const input = { deliveryId: delivery.id, round: rows[0]?.round, number: rows[0]?.attempts + 1 };
      return new MockActivityEnvironment().run(activities.recordCrash, input);
    };

    expect(await die()).toEqual({ attempts: 1, policyAttempts: 0 });
    for (let death = 2; death <= 9; death += 1) expect(await die()).toEqual({ end: 'held' });
    expect(await seen(messageId)).toMatchObject({
      attempts: 9,
      held: { reason: 'internal' },
      error: { class: 'internal' },
    });
    expect(await die()).toEqual({ end: 'deadLettered' });

    const failed = await seen(messageId);
    expect(failed).toMatchObject({
      status: 'failed',
      reason: 'internal',
      attempts: 10,
      error: { class: 'crashed', message: 'the worker stopped during this try; its request may have been sent' },
    });
    expect(failed).not.toHaveProperty('held');
    expect((await posthorn.request('POST', `/v1/deliveries/${delivery.id}/retry`)).status).toBe(202);
    expect(await die()).toEqual({ attempts: 11, policyAttempts: 0 });
  });
});

// Old: the workers' own looks for the dead, the quickest, counted nothing, so that a message was drained by worker after worker.
test.each([
  ['at its start', (pool: Pool) => takeOverFromDead(pool)],
  ['while it runs', (pool: Pool) => createTakeOver(pool)()],
])('a worker that takes over from a dead one %s counts it with each delivery', async (_, takeOver) => {
  const { delivery } = await waiting();
  await sql(`INSERT INTO incarnations (id, expires_at) VALUES ($1, now() - interval '1 s')`, [`inc_of_${delivery.id}`]);
  await sql('UPDATE deliveries SET holder = $2 WHERE id = $1', [delivery.id, `inc_of_${delivery.id}`]);

  await takeOver(posthorn.deps.pool);

  const { rows } = await sql('SELECT holder, takeovers FROM deliveries WHERE id = $1', [delivery.id]);
  expect(rows).toEqual([{ holder: null, takeovers: 1 }]);
});

// Old: recording what had ended meanwhile was not repeated while PostgreSQL was away, and the sent try was lost to the record.
test('a try whose delivery has ended meanwhile is recorded as well once PostgreSQL is back', async () => {
  const { delivery } = await waiting();
  const [loaded] = await loadForAttempts(posthorn.deps.pool, [delivery.id]);
  if (loaded === undefined) throw new Error('one delivery expected');
  await sql(
    `UPDATE deliveries SET due_at = NULL, status = 'failed', failure_reason = 'subscription_deleted' WHERE id = $1`,
    [delivery.id],
  );
  await sql('CREATE SEQUENCE refusals');
  await sql(`CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('refusals') = 1 THEN RAISE EXCEPTION 'starting up' USING ERRCODE = '57P03'; END IF; RETURN NEW; END $$`);
  await sql('CREATE TRIGGER refuse_once BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION refuse_once()');
  const { pool, newId } = posthorn.deps;

  const isRecorded = await createRecorder({ pool, newId }).record({
    delivery: loaded,
    number: 1,
    carrier: 'drain/inc_1/1',
    keepsCarrier: false,
    sent: {
      startedAt: new Date(),
      durationMs: 1,
      isDelivered: true,
      response: { status: 200, headers: {}, body: 'ok', latencyMs: 1 },
    },
    judgement: { status: 'delivered', dueAt: null, deadLetterReason: null },
  });
  await sql('DROP TRIGGER refuse_once ON attempts');

  expect(isRecorded).toBe(false);
  const { rows } = await sql('SELECT number, outcome FROM attempts WHERE delivery_id = $1', [delivery.id]);
  expect(rows).toEqual([{ number: 1, outcome: 'delivered' }]);
});
