import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPool } from '../../src/db/connections/pool.ts';
import { loadForAttempts } from '../../src/deliveries/attempt/load.ts';
import { createRecorder } from '../../src/deliveries/attempt/recorder.ts';
import { PATIENT } from '../support/service/patience.ts';
import { createChannel, createSubscription, deliveryOf, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
let wire: TcpProxy;
let pool: Pool;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  wire = await startTcpProxy(posthorn.database.url);
  pool = createPool(wire.url, { max: 2, ...PATIENT });
});
afterAll(async () => {
  await pool.end();
  await wire.stop();
  await posthorn.stop();
});

// Recording waited for PostgreSQL, but not this second statement of it: the try counted as crashed, and was made again.
test('a try whose delivery was ended meanwhile is recorded once, though PostgreSQL is lost in the middle', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const subscription = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  const message = await publish(posthorn, channelId);
  const { id: deliveryId } = (await deliveryOf(posthorn, message.id)) ?? { id: '' };
  const [delivery] = await loadForAttempts(pool, [deliveryId]);
  if (delivery === undefined) throw new Error('There is no delivery to try');
  await posthorn.request('DELETE', `/v1/subscriptions/${subscription.id}`);
  const recorder = createRecorder({ pool, newId: posthorn.deps.newId });
  const lock = await posthorn.deps.pool.connect();
  try {
    await lock.query('BEGIN');
    await lock.query('SELECT FROM messages WHERE id = $1 FOR UPDATE', [message.id]);
    const recording = recorder.record({
      delivery,
      number: 1,
      carrier: `delivery/${deliveryId}/1`,
      keepsCarrier: true,
      sent: {
        startedAt: new Date(),
        durationMs: 5,
        isDelivered: true,
        response: { status: 200, headers: {}, body: 'ok', latencyMs: 4 },
      },
      judgement: { status: 'delivered', dueAt: null, deadLetterReason: null },
    });
    await waitFor('the late record to wait for the message', async () => {
      const { rowCount } = await lock.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });

    await wire.cut();
    await wire.mend();
    await lock.query('ROLLBACK');

    // The delivery had been ended: its end stays, and the arrival is on record.
    expect(await recording).toBe(false);
  } finally {
    lock.release(true);
  }
  const attempts = await posthorn.request<{ data: object[] }>('GET', `/v1/deliveries/${deliveryId}/attempts`);
  expect(attempts.body.data).toMatchObject([{ number: 1, outcome: 'delivered' }]);
  expect(await deliveryOf(posthorn, message.id)).toMatchObject({ status: 'delivered', attempts: 1 });
});
