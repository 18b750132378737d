import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DryRun } from '../../src/messages/dry-run-schema.ts';
import { createChannel, createSubscription, publish } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const webhookUrl = 'https://example.com/in';
// 3.6 thousand million steps over this payload: no machine does them within the 250 ms that a filter has.
const HOSTILE = 'payload.a.all(x, payload.a.all(y, x + y > -1))';
const payload = { a: Array.from({ length: 60_000 }, (_, n) => n % 10) };

test('a filter that does not end lets its message through, and the messages of other channels are routed meanwhile', async () => {
  const [hostile, other] = [await createChannel(posthorn), await createChannel(posthorn)];
  const { id: undecided } = await createSubscription(posthorn, { channelId: hostile.id, webhookUrl, filter: HOSTILE });
  const { id: even } = await createSubscription(posthorn, {
    channelId: other.id,
    webhookUrl,
    filter: 'int(payload.n) % 2 == 0',
  });

  const [stuck, ...quick] = await Promise.all([
    publish(posthorn, hostile.id, { payload }),
    ...Array.from({ length: 20 }, (_, n) => publish(posthorn, other.id, { payload: { n } })),
  ]);

  const rows = await posthorn.deps.db.delivery.findMany();
  const receiversOf = (messageId: string): string[] =>
    rows.filter((row) => row.messageId === messageId).map(({ subscriptionId }) => subscriptionId);
  expect(receiversOf(stuck.id)).toEqual([undecided]);
  expect(quick.map(({ id }) => receiversOf(id))).toEqual(quick.map((_, n) => (n % 2 === 0 ? [even] : [])));
  const { body } = await posthorn.request<DryRun>('POST', `/v1/channels/${hostile.id}/dry-run`, {
    messageId: stuck.id,
  });
  expect(body.data).toMatchObject([
    {
      subscriptionId: undecided,
      wouldReceive: true,
      reason: 'filter_undecided',
      detail: expect.stringMatching(/250 ms/),
    },
  ]);
});
