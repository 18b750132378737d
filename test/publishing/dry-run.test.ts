import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DryRun, MessageVerdicts } from '../../src/publishing/schema.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { tableContents } from '../support/check/table-contents.ts';

type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const SAMPLE = { eventType: 'order.created', payload: { amount: 150, customer: 'a' } };
const LARGE = 'payload.amount > 100';

const channel = async (fields: Record<string, unknown> = {}): Promise<string> =>
  (await createChannel(posthorn, fields)).id;
const subscribe = async (channelId: string, fields: Record<string, unknown> = {}): Promise<string> =>
  (await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in', name: 'billing', ...fields }))
    .id;
const ask = <T = DryRun>(
  channelId: string,
  body: unknown,
  { query = '', key = posthorn.keys.live }: { query?: string; key?: string } = {},
): Promise<Answer<T>> => posthorn.request<T>('POST', `/v1/channels/${channelId}/dry-run${query}`, body, { key });
const routeOf = async (channelId: string, subscriptionId: string, body: unknown = SAMPLE) =>
  (await ask(channelId, body)).body.data.find((each) => each.subscriptionId === subscriptionId);

/** Expects that answer, and every table as it was. */
async function expectRefused(act: () => Promise<Answer<Refusal>>, status: number, field?: string): Promise<void> {
  const before = await tableContents(posthorn.deps.pool);
  const answer = await act();
  expect([answer.status, answer.body.error.details?.field]).toEqual([status, field]);
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}

describe('a dry run says of a subscription', () => {
  test.each([
    ['that has no filter, that it gets all', {}, { wouldReceive: true, reason: 'no_filter' }],
    ['whose filter matches, so', { filter: LARGE }, { wouldReceive: true, reason: 'filter_matches' }],
    [
      'whose filter does not, so',
      { filter: 'payload.amount > 200' },
      { wouldReceive: false, reason: 'filter_does_not_match' },
    ],
    [
      'whose filter fails, why',
      { filter: 'payload.total > 1' },
      { wouldReceive: false, reason: 'filter_failed', detail: expect.stringMatching(/total/) },
    ],
    [
      'whose event types do not want it, which they are',
      { eventTypes: ['refund.*', 'order.paid'], filter: LARGE },
      { wouldReceive: false, reason: 'event_type', detail: 'wants refund.*, order.paid' },
    ],
    [
      'with many event types, the first ten',
      { eventTypes: Array.from({ length: 12 }, (_, n) => `t${n}`) },
      { wouldReceive: false, reason: 'event_type', detail: 'wants t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more' },
    ],
  ])('%s', async (_, fields, expected) => {
    const channelId = await channel();
    const id = await subscribe(channelId, fields);
    expect(await routeOf(channelId, id)).toEqual({ subscriptionId: id, name: 'billing', ...expected });
  });

  test.each<[string, Record<string, unknown>]>([
    ['paused', { status: 'paused' }],
    ['disabled', { status: 'disabled' }],
    ['circuit', { circuitOpenedAt: new Date(), circuitProbeAt: new Date(Date.now() + 3_600_000) }],
  ])('names the reason that would hold its delivery: %s', async (heldBy, data) => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter: LARGE });
    await posthorn.deps.db.subscription.update({ where: { id }, data });
    expect(await routeOf(channelId, id)).toMatchObject({ wouldReceive: true, reason: 'filter_matches', heldBy });
    const { id: messageId } = await publish(posthorn, channelId, SAMPLE);
    expect(await posthorn.deps.db.delivery.findMany({ where: { messageId } })).toMatchObject([
      { subscriptionId: id, status: 'pending', holder: null },
    ]);
  });

  test('nothing once it is deleted', async () => {
    const channelId = await channel();
    const id = await subscribe(channelId);
    await posthorn.request('DELETE', `/v1/subscriptions/${id}`);
    expect((await ask(channelId, SAMPLE)).body.data).toEqual([]);
  });
});

describe('a dry run', () => {
  test('stores nothing', async () => {
    const channelId = await channel({ schema: { required: ['amount'] } });
    await subscribe(channelId, { filter: LARGE });
    const before = await tableContents(posthorn.deps.pool);
    expect((await ask(channelId, SAMPLE)).status).toBe(200);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  test.each<[Record<string, unknown>, Record<string, unknown>, object]>([
    [{}, {}, { status: 'active', accepts: true, errors: [] }],
    [{}, { status: 'paused' }, { status: 'paused', accepts: false, errors: [] }],
    [{}, { status: 'archived' }, { status: 'archived', accepts: false, errors: [] }],
    [
      { schema: { required: ['total'] } },
      {},
      { status: 'active', accepts: false, errors: [{ field: 'payload.total', reason: 'is required' }] },
    ],
    [
      { schema: { required: ['total'] }, schemaMode: 'warn' },
      {},
      { status: 'active', accepts: true, errors: [{ field: 'payload.total', reason: 'is required' }] },
    ],
  ])('says whether a channel with %j and then %j takes the message', async (fields, patch, expected) => {
    const channelId = await channel(fields);
    if (Object.keys(patch).length > 0) await posthorn.request('PATCH', `/v1/channels/${channelId}`, patch);
    const { body } = await ask(channelId, SAMPLE);
    expect(body.channel).toEqual(expected);
    const published = await posthorn.request('POST', `/v1/channels/${channelId}/messages`, SAMPLE);
    expect(published.status === 202).toBe(body.channel.accepts);
  });

  test.each([
    [LARGE, { matches: true }],
    ['payload.amount > 200', { matches: false }],
    ['payload.total > 1', { matches: false, error: expect.stringMatching(/total/) }],
    ['metadata.region == "eu"', { matches: true }],
  ])('tries %s, which nobody has saved', async (filter, verdict) => {
    const { body } = await ask(await channel(), { ...SAMPLE, metadata: { region: 'eu' }, filter });
    expect(body).toEqual({
      channel: { status: 'active', accepts: true, errors: [] },
      filter: verdict,
      data: [],
      pagination: { hasMore: false },
    });
  });

  test('answers for a stored message as for the same sample', async () => {
    const channelId = await channel();
    const metadata = { region: 'eu' };
    await subscribe(channelId, { filter: LARGE });
    await subscribe(channelId, { filter: 'metadata.region == "us"' });
    const { id: messageId } = await publish(posthorn, channelId, { ...SAMPLE, metadata });
    const { body } = await ask(channelId, { messageId });
    expect(body).toEqual((await ask(channelId, { ...SAMPLE, metadata })).body);
    expect(body.data.map(({ wouldReceive }) => wouldReceive)).toEqual([false, true]);
  });

  test('answers for a scheduled message as for the same sample, but not for a cancelled one', async () => {
    const channelId = await channel();
    await subscribe(channelId, { filter: LARGE });
    const { id: messageId } = await publish(posthorn, channelId, { ...SAMPLE, delay: 3_600_000 });
    const { body } = await ask(channelId, { messageId });
    expect(body).toEqual((await ask(channelId, SAMPLE)).body);
    expect(body.data).toMatchObject([{ wouldReceive: true }]);
    await posthorn.request('POST', `/v1/messages/${messageId}/cancel`);
    await expectRefused(() => ask<Refusal>(channelId, { messageId }), 400, 'messageId');
  });

  test('pages through all subscriptions, and shows the one that is named', async () => {
    const channelId = await channel();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await subscribe(channelId, { filter: `payload.amount > ${n * 50}` }));
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await ask(channelId, SAMPLE, { query });
      seen.push(...body.data.map(({ subscriptionId }) => subscriptionId));
      query = `?limit=2&cursor=${body.pagination.cursor ?? ''}`;
      expect(body.pagination.hasMore).toBe(page < 2);
    }
    expect(seen).toEqual(ids);
    const { body } = await ask(channelId, { ...SAMPLE, subscriptionId: ids[2] });
    expect(body.data.map(({ subscriptionId }) => subscriptionId)).toEqual([ids[2]]);
  });

  test('takes messages:read for a stored message: a caller that tries filters on it could tell its content', async () => {
    const channelId = await channel();
    const { id: messageId } = await publish(posthorn, channelId);
    const made = await posthorn.request<{ key: string }>('POST', '/v1/api-keys', {
      name: 'till',
      scopes: ['messages:write'],
    });
    const { key } = made.body;
    await expectRefused(() => ask<Refusal>(channelId, { messageId, filter: 'payload.n == 1' }, { key }), 403);
    expect((await ask(channelId, SAMPLE, { key })).status).toBe(200);
  });

  test.each<[string, () => Promise<Record<string, unknown>>, number, string | undefined]>([
    ['without an eventType', async () => ({ payload: {} }), 400, 'eventType'],
    ['without a payload', async () => ({ eventType: 'a' }), 400, 'payload'],
    ['with a payload beside a messageId', async () => ({ ...SAMPLE, messageId: 'x' }), 400, 'messageId'],
    ['with what is no filter', async () => ({ ...SAMPLE, filter: 'payload.' }), 400, 'filter'],
    ['with no message', async () => ({ messageId: 'msg_0' }), 400, 'messageId'],
    ['with metadata that are none', async () => ({ ...SAMPLE, metadata: { a: 1 } }), 400, 'metadata.a'],
    [
      "with another channel's message",
      async () => ({ messageId: (await publish(posthorn, await channel())).id }),
      400,
      'messageId',
    ],
    [
      "with another channel's subscription",
      async () => ({ ...SAMPLE, subscriptionId: await subscribe(await channel()) }),
      400,
      'subscriptionId',
    ],
  ])('%s is refused', async (_, body, status, field) => {
    const [channelId, given] = [await channel(), await body()];
    await expectRefused(() => ask<Refusal>(channelId, given), status, field);
  });

  test('is CONFLICT for an erased message: nothing is left to ask about', async () => {
    const channelId = await channel();
    const { id: messageId } = await publish(posthorn, channelId);
    await posthorn.request('DELETE', `/v1/messages/${messageId}`);
    await expectRefused(() => ask<Refusal>(channelId, { messageId }), 409);
  });
});

describe('the verdicts on a stored message', () => {
  const verdictsOn = (messageId: string, key = posthorn.keys.live) =>
    posthorn.request<MessageVerdicts & Refusal>('GET', `/v1/messages/${messageId}/verdicts`, undefined, { key });

  test('say who has it, who does not and why, and who would get it only now', async () => {
    const channelId = await channel();
    const takes = await subscribe(channelId, { filter: LARGE });
    const changed = await subscribe(channelId, { filter: 'payload.amount > 200' });
    const other = await subscribe(channelId, { eventTypes: ['refund.*'] });
    const message = await publish(posthorn, channelId, SAMPLE);
    await posthorn.request('PATCH', `/v1/subscriptions/${changed}`, { filter: null });
    const later = await subscribe(channelId, { filter: 'payload.total > 1' });
    const before = await tableContents(posthorn.deps.pool);
    const { status, body } = await verdictsOn(message.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      subscriptions: [
        {
          subscriptionId: later,
          name: 'billing',
          wouldReceive: false,
          reason: 'filter_failed',
          detail: expect.stringMatching(/total/),
        },
        {
          subscriptionId: other,
          name: 'billing',
          wouldReceive: false,
          reason: 'event_type',
          detail: 'wants refund.*',
        },
        { subscriptionId: changed, name: 'billing', wouldReceive: true, reason: 'no_filter' },
        {
          subscriptionId: takes,
          name: 'billing',
          wouldReceive: true,
          reason: 'filter_matches',
          deliveryId: expect.stringMatching(/^dlv_/),
        },
      ],
      isMore: false,
    });
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  test('are those of the newest hundred subscriptions, and say that there are more', async () => {
    const channelId = await channel();
    const first = await subscribe(channelId);
    const message = await publish(posthorn, channelId, SAMPLE);
    await posthorn.deps.pool.query(
      `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('id', posthorn_id('sub')))).*
       FROM subscriptions s CROSS JOIN generate_series(1, 100) WHERE s.id = $1`,
      [first],
    );
    const { body } = await verdictsOn(message.id);
    expect([body.subscriptions.length, body.isMore]).toEqual([100, true]);
    expect(body.subscriptions.some(({ subscriptionId }) => subscriptionId === first)).toBe(false);
  });

  test('on a test name the one subscription that it was sent to, whatever that one asks for', async () => {
    const channelId = await channel();
    const only = await subscribe(channelId, { filter: 'payload.amount > 1e9' });
    await subscribe(channelId);
    const sent = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${only}/test`);
    const { body } = await verdictsOn(sent.body.id);
    const deliveryId = expect.stringMatching(/^dlv_/);
    const named = { subscriptionId: only, name: 'billing', wouldReceive: true, reason: 'no_filter', deliveryId };
    expect(body).toEqual({ subscriptions: [named], isMore: false });
  });

  test('are not there for another environment, nor once the message is erased', async () => {
    const channelId = await channel();
    await subscribe(channelId);
    const { id } = await publish(posthorn, channelId, SAMPLE);
    await expectRefused(() => verdictsOn(id, posthorn.keys.test), 404);
    await posthorn.request('DELETE', `/v1/messages/${id}`);
    await expectRefused(() => verdictsOn(id), 409);
  });
});
