import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLog } from '../../src/log.ts';
import { createFirstTries } from '../../src/dispatch/admission/first-tries.ts';
import { createStarts } from '../../src/dispatch/loop/hand-out/starts.ts';
import { describeHeld } from '../../src/deliveries/statements/claim.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const WORKER = 'inc_of_this_test';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/** A new delivery that this test holds, as a worker does. */
async function claimOne() {
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  const { id: messageId } = await publish(posthorn, channelId);
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    'UPDATE deliveries SET holder = $2 WHERE message_id = $1 RETURNING id',
    [messageId, WORKER],
  );
  const [delivery] = await describeHeld(posthorn.deps.pool, [rows[0]?.id ?? ''], WORKER);
  if (delivery === undefined) throw new Error('The delivery is not held');
  return delivery;
}

test.each([
  ['a quick try writes its delivery once, by its record', true, { holder: WORKER, carrier: null }],
  ['a slow one shows its carrier meanwhile', false, { holder: null, carrier: 'delivery/1' }],
])('%s', async (_, isOver, expected) => {
  const delivery = await claimOne();
  const firstTries = createFirstTries({
    now: () => performance.now(),
    onRoom: () => {},
    admission: { limitOf: () => 1, isClosed: () => true },
    slots: 10,
  });
  const starts = createStarts({
    pool: posthorn.deps.pool,
    log: createLog('silent'),
    incarnationId: WORKER,
    firstTries,
    async startDelivery() {
      firstTries.begin(delivery.id);
      if (isOver) firstTries.end(delivery.id);
      return 'delivery/1';
    },
    onFailure(error) {
      throw error;
    },
    isOver: () => false,
  });
  firstTries.start(delivery.id, delivery.subscriptionId);
  await starts.start(delivery);
  const { rows } = await posthorn.deps.pool.query('SELECT holder, carrier FROM deliveries WHERE id = $1', [
    delivery.id,
  ]);
  expect(rows).toEqual([expected]);
});

test('a delivery whose start was not answered is held by its worker until a start is, and then carried by that workflow', async () => {
  const delivery = await claimOne();
  const holders: unknown[] = [];
  const read = async () =>
    (await posthorn.deps.pool.query('SELECT holder, carrier FROM deliveries WHERE id = $1', [delivery.id])).rows[0];
  const failures: unknown[] = [];
  const starts = createStarts({
    pool: posthorn.deps.pool,
    log: createLog('silent'),
    incarnationId: WORKER,
    firstTries: { isSlow: () => false, isUnderWay: () => false, end: () => undefined },
    async startDelivery() {
      holders.push(await read());
      if (holders.length === 1) throw Object.assign(new Error('the connection broke'), { code: 14 });
      return 'delivery/1';
    },
    onFailure: (error) => failures.push(error),
    isOver: () => false,
  });
  await starts.start(delivery);
  expect(failures).toHaveLength(1);
  expect(holders).toEqual([
    { holder: WORKER, carrier: null },
    { holder: WORKER, carrier: null },
  ]);
  expect(await read()).toEqual({ holder: null, carrier: 'delivery/1' });
});
