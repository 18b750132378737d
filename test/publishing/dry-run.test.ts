import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DryRun, FilterTest, MessageRouting } from '../../src/messaging/publishing/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('dry run', () => {
  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

  const SAMPLE = { eventType: 'order.created', payload: { amount: 150, customer: 'a' } };
  const LARGE = 'payload.amount > 100';

  const channel = async (fields: Record<string, unknown> = {}): Promise<string> =>
    (await createChannel(posthorn, fields)).id;
  const subscribe = async (channelId: string, fields: Record<string, unknown> = {}): Promise<string> =>
    (
      await createSubscription(posthorn, {
        channelId,
        webhookUrl: 'https://example.com/in',
        name: 'billing',
        ...fields,
      })
    ).id;
  const ask = <T = DryRun>(
    channelId: string,
    body: unknown,
    { query = '', key = posthorn.keys.live }: { query?: string; key?: string } = {},
  ): Promise<Answer<T>> => posthorn.request<T>('POST', `/v1/channels/${channelId}/dry-run${query}`, body, { key });
  const routeOf = async (channelId: string, subscriptionId: string, body: unknown = SAMPLE) =>
    (await ask(channelId, body)).body.data.find((each) => each.subscriptionId === subscriptionId);

  /** Expects that response, and that every table is unchanged. */
  async function expectRefused(act: () => Promise<Answer<Refusal>>, status: number, field?: string): Promise<void> {
    const before = await tableContents(posthorn.deps.pool);
    const answer = await act();
    expect([answer.status, answer.body.error.details?.field]).toEqual([status, field]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  describe('a dry run reports for a subscription', () => {
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
        { wouldReceive: false, reason: 'event_type', detail: 'event types of the subscription: refund.*, order.paid' },
      ],
      [
        'with many event types, the first ten',
        { eventTypes: Array.from({ length: 12 }, (_, n) => `t${n}`) },
        {
          wouldReceive: false,
          reason: 'event_type',
          detail: 'event types of the subscription: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more',
        },
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
    ])('the reason that would hold its delivery: %s', async (heldBy, data) => {
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
    ])('says whether a channel with %j and then %j accepts the message', async (fields, patch, expected) => {
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
    ])('tests %s that is not saved', async (filter, verdict) => {
      const { body } = await ask(await channel(), { ...SAMPLE, metadata: { region: 'eu' }, filter });
      expect(body).toEqual({
        channel: { status: 'active', accepts: true, errors: [] },
        filter: verdict,
        data: [],
        pagination: { hasMore: false },
      });
    });

    test('returns the same for a stored message as for its sample', async () => {
      const channelId = await channel();
      const metadata = { region: 'eu' };
      await subscribe(channelId, { filter: LARGE });
      await subscribe(channelId, { filter: 'metadata.region == "us"' });
      const { id: messageId } = await publish(posthorn, channelId, { ...SAMPLE, metadata });
      const { body } = await ask(channelId, { messageId });
      expect(body).toEqual((await ask(channelId, { ...SAMPLE, metadata })).body);
      expect(body.data.map(({ wouldReceive }) => wouldReceive)).toEqual([false, true]);
    });

    test('returns the same for a scheduled message as for its sample, but not for a cancelled one', async () => {
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

    test('requires messages:read for a stored message, because filters reveal its content', async () => {
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

    test('is CONFLICT for an erased message, of which nothing is left', async () => {
      const channelId = await channel();
      const { id: messageId } = await publish(posthorn, channelId);
      await posthorn.request('DELETE', `/v1/messages/${messageId}`);
      await expectRefused(() => ask<Refusal>(channelId, { messageId }), 409);
    });
  });

  describe('the routing of a stored message', () => {
    const verdictsOn = (messageId: string, key = posthorn.keys.live) =>
      posthorn.request<MessageRouting & Refusal>('GET', `/v1/messages/${messageId}/routing`, undefined, { key });

    test('says which subscriptions have it, which do not and why, and which would get it only now', async () => {
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
            detail: 'event types of the subscription: refund.*',
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

    test('covers the newest hundred subscriptions, and says that there are more', async () => {
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

    test('of a test names the only subscription that it was sent to, whatever that one matches', async () => {
      const channelId = await channel();
      const only = await subscribe(channelId, { filter: 'payload.amount > 1e9' });
      await subscribe(channelId);
      const sent = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${only}/test`);
      const { body } = await verdictsOn(sent.body.id);
      const deliveryId = expect.stringMatching(/^dlv_/);
      const named = { subscriptionId: only, name: 'billing', wouldReceive: true, reason: 'no_filter', deliveryId };
      expect(body).toEqual({ subscriptions: [named], isMore: false });
    });

    test('is not available to another environment, nor once the message is erased', async () => {
      const channelId = await channel();
      await subscribe(channelId);
      const { id } = await publish(posthorn, channelId, SAMPLE);
      await expectRefused(() => verdictsOn(id, posthorn.keys.test), 404);
      await posthorn.request('DELETE', `/v1/messages/${id}`);
      await expectRefused(() => verdictsOn(id), 409);
    });
  });
});

describe('filter test', () => {
  type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

  const ask = <T = FilterTest>(channelId: string, body: unknown): Promise<Answer<T>> =>
    posthorn.request<T>('POST', `/v1/channels/${channelId}/filter-test`, body);
  /** A channel with messages with these payloads, in this order. */
  async function channelWith(payloads: readonly object[]): Promise<{ id: string; messages: string[] }> {
    const { id } = await createChannel(posthorn);
    const messages: string[] = [];
    for (const payload of payloads)
      messages.push((await publish(posthorn, id, { eventType: 'order.created', payload })).id);
    return { id, messages };
  }

  test('a filter is tested on the newest messages of a channel, newest first, and changes nothing', async () => {
    const { id, messages } = await channelWith([{ amount: 50 }, { amount: 150 }, { total: 1 }, { amount: 250 }]);
    const before = await tableContents(posthorn.deps.pool);
    const { status, body } = await ask(id, { filter: 'payload.amount > 100' });
    expect([status, body.matched]).toEqual([200, 2]);
    expect(body.messages.map(({ messageId, matches }) => [messageId, matches])).toEqual([
      [messages[3], true],
      [messages[2], false],
      [messages[1], true],
      [messages[0], false],
    ]);
    // A filter that fails does not match, and says why, as for a delivery.
    expect(body.messages.map(({ error }) => error !== undefined)).toEqual([false, true, false, false]);
    expect(body.messages[1]?.error).toMatch(/amount/);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  test('the requested number of messages is tested, without those of another channel and erased ones', async () => {
    const { id, messages } = await channelWith([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await channelWith([{ n: 4 }]);
    await posthorn.request('DELETE', `/v1/messages/${messages[2]}`);
    const idsOf = async (body: object): Promise<string[]> =>
      (await ask(id, { filter: 'payload.n > 0', ...body })).body.messages.map(({ messageId }) => messageId);
    expect(await idsOf({})).toEqual([messages[1], messages[0]]);
    expect(await idsOf({ limit: 1 })).toEqual([messages[1]]);
    const empty = await createChannel(posthorn);
    expect((await ask(empty.id, { filter: 'true' })).body).toEqual({ matched: 0, messages: [] });
  });

  test.each<[string, object, string]>([
    ['no filter', {}, 'filter'],
    ['an expression that is none', { filter: 'payload.' }, 'filter'],
    ['more messages than 50', { filter: 'true', limit: 51 }, 'limit'],
    ['a field that nobody knows', { filter: 'true', messageId: 'msg_1' }, 'messageId'],
  ])('%s is refused with its field', async (_, body, field) => {
    const { id } = await createChannel(posthorn);
    const answer = await ask<Refusal>(id, body);
    expect([answer.status, answer.body.error.code, answer.body.error.details?.field]).toEqual([
      400,
      'INVALID_REQUEST',
      field,
    ]);
  });

  test.each(['chn_01k9f2xw6q7v8r3t5y4n0m1c2b', 'orders'])('a missing channel is refused: %s', async (id) => {
    expect((await ask<Refusal>(id, { filter: 'true' })).status).toBe(404);
  });
});

describe('publish requests', () => {
  type MessageJson = { id: string };

  let channelId: string;

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });

  const publish = (n: number, { id = `order-${n}`, to = channelId, key = newIdempotencyKey() } = {}) =>
    posthorn.request<MessageJson>(
      'POST',
      `/v1/channels/${to}/messages`,
      { id, eventType: 'order.created', payload: { n } },
      { headers: { 'idempotency-key': key } },
    );
  const statusesOf = (answers: readonly Answer<unknown>[]): number[] => answers.map(({ status }) => status);
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  /** Returns the stored messages of the channel: their numbers, and in how many transactions. */
  const stored = async (): Promise<{ numbers: number[]; transactions: number }> => {
    const { rows } = await posthorn.deps.pool.query<{ n: number; transaction: string }>(
      `SELECT (payload::json ->> 'n')::int AS n, transaction_id::text AS transaction FROM messages WHERE channel_id = $1 ORDER BY 1`,
      [channelId],
    );
    return { numbers: rows.map(({ n }) => n), transactions: new Set(rows.map(({ transaction }) => transaction)).size };
  };

  test('publishes with keys and ids that arrive together share transactions, and each can be repeated', async () => {
    const keys = numbers(60).map(() => newIdempotencyKey());
    const first = await Promise.all(keys.map((key, n) => publish(n, { key })));
    expect(new Set(statusesOf(first))).toEqual(new Set([202]));
    const { transactions, ...rest } = await stored();
    expect(rest).toEqual({ numbers: numbers(60) });
    expect(transactions).toBeLessThan(60);
    const again = await Promise.all(keys.map((key, n) => publish(n, { key })));
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(await stored()).toEqual({ ...rest, transactions });
  });

  test('one refused publish of a group does not affect the others: a paused channel, an id of another message', async () => {
    const paused = (await createChannel(posthorn)).id;
    await posthorn.request('PATCH', `/v1/channels/${paused}`, { status: 'paused' });
    await publish(1_000, { id: 'taken' });
    const answers = await Promise.all(
      numbers(60).map((n) => publish(n, n % 5 === 0 ? { to: paused } : n % 5 === 1 ? { id: 'taken' } : {})),
    );
    expect(statusesOf(answers)).toEqual(numbers(60).map((n) => (n % 5 < 2 ? 409 : 202)));
    expect((await stored()).numbers).toEqual([...numbers(60).filter((n) => n % 5 >= 2), 1_000]);
  });

  test('an id that another process is about to publish blocks only requests that use it', async () => {
    const connection = await posthorn.deps.pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query(
        `INSERT INTO publisher_ids (environment_id, channel_id, publisher_id, message_id, hash, expires_at)
       SELECT environment_id, id, 'held', 'msg_of_another', '', now() + interval '1 day' FROM channels WHERE id = $1`,
        [channelId],
      );
      let isHeld = true;
      const held = publish(1_000, { id: 'held' }).finally(() => {
        isHeld = false;
      });
      const others = await Promise.all(numbers(30).map((n) => publish(n)));
      expect(new Set(statusesOf(others))).toEqual(new Set([202]));
      // The request gives up with 409 after five seconds: on a machine that stalled it may have done so already.
      if (!isHeld) expect((await held).status).toBe(409);
      await connection.query('ROLLBACK');
      if ((await held).status !== 202) expect((await publish(1_000, { id: 'held' })).status).toBe(202);
      expect((await stored()).numbers).toEqual([...numbers(30), 1_000]);
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
    }
  });
});
