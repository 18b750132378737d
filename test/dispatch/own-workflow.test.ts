import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

const MESSAGES = 100;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

describe.each([
  ['not set', ''],
  ['100', '100'],
  ['off', 'off'],
])('with DELIVERY_BURST_THRESHOLD %s', (_, threshold) => {
  let posthorn: TestPosthorn;
  let channelId: string;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  });
  afterAll(() => posthorn.stop());
  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  });
  afterEach(() => posthorn.request('DELETE', `/v1/channels/${channelId}`));

  /** Carriers of all first tries of the channel, once `count` are recorded; each message arrived once. */
  const carriers = (count: number): Promise<string[]> =>
    waitFor(`${count} recorded tries`, async () => {
      const { rows } = await posthorn.deps.pool.query<{ carrier: string; messageId: string }>(
        `SELECT a.carrier, d.message_id AS "messageId" FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
         WHERE d.channel_id = $1 ORDER BY a.id`,
        [channelId],
      );
      if (rows.length < count) return false;
      expect(rows.filter(({ messageId }) => receiver.countOf(messageId) !== 1)).toEqual([]);
      return rows.map(({ carrier }) => carrier.split('/')[0] ?? '');
    });
  const shareOwn = (all: readonly string[]): number => all.filter((name) => name === 'delivery').length / all.length;

  if (threshold === '') {
    // Six starts may be under way at a time. Half of them in use is half of what this machine can start, however slow it is.
    const HALF = 3;

    test('at 20 a second at least 99 of 100 deliveries have their own workflow', async () => {
      const sent: string[] = [];
      for (let n = 0; n < MESSAGES; n += 1) {
        sent.push((await publish(posthorn, channelId)).id);
        await sleep(50);
        // A machine that cannot start so many gets as many as it can.
        await waitFor('an earlier one to arrive', () => sent.filter((id) => receiver.countOf(id) === 0).length < HALF);
      }
      expect(shareOwn(await carriers(MESSAGES))).toBeGreaterThanOrEqual(0.99);
    });

    test('at half of what Temporal can start, too', async () => {
      const inTurn = async (): Promise<void> => {
        for (let n = 0; n < MESSAGES / HALF; n += 1) {
          const { id } = await publish(posthorn, channelId);
          await waitFor('the message to arrive', () => receiver.countOf(id) > 0);
        }
      };
      await Promise.all(Array.from({ length: HALF }, inTurn));
      expect(shareOwn(await carriers(MESSAGES))).toBeGreaterThanOrEqual(0.99);
    });
  }

  test('late first tries are drained, unless a threshold is set', async () => {
    await publishBatch(posthorn, channelId, 90);
    const all = await carriers(90);
    if (threshold === '') expect(shareOwn(all)).toBeLessThan(1);
    else expect(shareOwn(all)).toBe(1);
  });
});
