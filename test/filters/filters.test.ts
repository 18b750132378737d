import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemChannelId } from '../../src/kernel/words/event-types.ts';
import { createChannel, createSubscription, type PageJson, publish } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/second-api.ts';
import { tableContents } from '../support/check/table-contents.ts';

type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const WEBHOOK_URL = 'https://example.com/in';
const LARGE = 'payload.amount > 100';

const channel = async (): Promise<string> => (await createChannel(posthorn)).id;
const subscribe = async (channelId: string, fields: Record<string, unknown> = {}): Promise<string> =>
  (await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, ...fields })).id;
const change = <T = Refusal>(id: string, body: unknown): Promise<Answer<T>> =>
  posthorn.request<T>('PATCH', `/v1/subscriptions/${id}`, body);
const receiversOf = async (messageId: string): Promise<string[]> =>
  (await posthorn.deps.db.delivery.findMany({ where: { messageId } })).map(({ subscriptionId }) => subscriptionId);
const receives = async (
  channelId: string,
  subscriptionId: string,
  message: Record<string, unknown>,
): Promise<boolean> => (await receiversOf((await publish(posthorn, channelId, message)).id)).includes(subscriptionId);

/** Expects INVALID_REQUEST for the filter, and every table as it was. */
async function expectRefused(act: () => Promise<Answer<Refusal>>, reason: RegExp): Promise<void> {
  const before = await tableContents(posthorn.deps.pool);
  const { status, body } = await act();
  expect([status, body.error.code, body.error.details?.field]).toEqual([400, 'INVALID_REQUEST', 'filter']);
  expect(body.error.details?.reason).toMatch(reason);
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}

describe('a filter', () => {
  test('is kept as it was written, shown, replaced, and taken away by null', async () => {
    const channelId = await channel();
    const written = `  payload.amount > 100  // "gross", in €`;
    const id = await subscribe(channelId, { filter: written });
    const shown = async () => (await posthorn.request('GET', `/v1/subscriptions/${id}`)).body['filter'];
    expect(await shown()).toBe(written);
    const { body } = await posthorn.request<PageJson<{ filter?: string }>>(
      'GET',
      `/v1/subscriptions?channelId=${channelId}`,
    );
    expect(body.data.map(({ filter }) => filter)).toEqual([written]);
    expect((await change(id, { name: 'other' })).body).toMatchObject({ filter: written });
    expect((await change(id, { filter: LARGE })).body).toMatchObject({ filter: LARGE });
    expect((await change(id, { filter: null })).body).not.toHaveProperty('filter');
    expect(await shown()).toBeUndefined();
  });

  test.each([
    ['payload.amount >', /./],
    ['payload.amount > 100 &&\n  payload.currency = "EUR"', /2/],
    ['order.amount > 100', /order/],
    ['1 + 1', /bool/i],
    ['', /./],
    [`payload.name == "${'x'.repeat(2_000)}"`, /2[.,]?000/],
    [7, /string/],
  ])('is refused when it is %j, at creation and in a change', async (filter, reason) => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter: LARGE });
    await expectRefused(() => change(id, { filter }), reason);
    const body = { channelId, webhookUrl: WEBHOOK_URL, filter };
    await expectRefused(() => posthorn.request<Refusal>('POST', '/v1/subscriptions', body), reason);
  });

  test('is refused on the system channel, whose messages are published where nothing can be asked', async () => {
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: await channel() } });
    const channelId = systemChannelId(environmentId);
    const id = await subscribe(channelId);
    await expectRefused(() => change(id, { filter: LARGE }), /system channel/);
    const body = { channelId, webhookUrl: WEBHOOK_URL, filter: LARGE };
    await expectRefused(() => posthorn.request<Refusal>('POST', '/v1/subscriptions', body), /system channel/);
  });

  test.each<[string, Record<string, unknown>, boolean]>([
    [LARGE, { payload: { amount: 101 } }, true],
    [LARGE, { payload: { amount: 100 } }, false],
    [LARGE, { payload: { amount: 100.5 } }, true],
    ['eventType.startsWith("order.")', { eventType: 'order.paid' }, true],
    ['eventType.startsWith("order.")', { eventType: 'refund.made' }, false],
    ['metadata.region == "eu"', { metadata: { region: 'eu' } }, true],
    ['metadata.region == "eu"', { metadata: { region: 'us' } }, false],
    // A filter that fails does not match: the message has no such member, or one of another type.
    ['metadata.region == "eu"', {}, false],
    [LARGE, { payload: {} }, false],
    [LARGE, { payload: { amount: 'much' } }, false],
    ['has(payload.amount) ? payload.amount > 100 : true', { payload: {} }, true],
    ['"vip" in payload.tags', { payload: { tags: ['new', 'vip'] } }, true],
  ])('%s, asked about %j: %j', async (filter, message, isReceived) => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter });
    const published = await publish(posthorn, channelId, message);
    expect(await receiversOf(published.id)).toEqual(isReceived ? [id] : []);
    expect(published.deliveryStatus).toBe(isReceived ? 'pending' : 'unrouted');
  });

  test('is asked only about what eventTypes want, and leaves subscriptions without one alone', async () => {
    const channelId = await channel();
    const all = await subscribe(channelId);
    const both = await subscribe(channelId, { eventTypes: ['order.*'], filter: LARGE });
    const message = (eventType: string, amount: number) =>
      publish(posthorn, channelId, { eventType, payload: { amount } });
    expect((await receiversOf((await message('order.paid', 200)).id)).toSorted()).toEqual([all, both].toSorted());
    expect(await receiversOf((await message('order.paid', 2)).id)).toEqual([all]);
    expect(await receiversOf((await message('refund.made', 200)).id)).toEqual([all]);
  });

  test('is asked about what a change of eventTypes brings from then on', async () => {
    const channelId = await channel();
    const id = await subscribe(channelId, { eventTypes: ['refund.*'], filter: LARGE });
    expect(await receives(channelId, id, { payload: { amount: 200 } })).toBe(false);
    await change(id, { eventTypes: ['order.*'] });
    expect(await receives(channelId, id, { payload: { amount: 2 } })).toBe(false);
    expect(await receives(channelId, id, { payload: { amount: 200 } })).toBe(true);
  });

  test('is not asked about a test message', async () => {
    const id = await subscribe(await channel(), { filter: LARGE });
    const { body } = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${id}/test`);
    expect(await receiversOf(body.id)).toEqual([id]);
  });

  test('goes with its subscription', async () => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter: 'true' });
    expect(await receives(channelId, id, {})).toBe(true);
    await posthorn.request('DELETE', `/v1/subscriptions/${id}`);
    expect((await publish(posthorn, channelId)).deliveryStatus).toBe('unrouted');
  });
});

describe('publishing asks the filters', () => {
  const payloads = [{ amount: 1 }, { amount: 101 }, { amount: 102 }];
  const messages = payloads.map((payload) => ({ eventType: 'order.created', payload }));
  const expectFiltered = async (id: string, { status, body }: Answer<{ ids: string[] }>): Promise<void> => {
    expect(status).toBe(202);
    expect(await Promise.all(body.ids.map(receiversOf))).toEqual([[], [id], [id]]);
  };

  test('for each message of a batch', async () => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter: LARGE });
    await expectFiltered(id, await posthorn.request('POST', `/v1/channels/${channelId}/messages/batch`, { messages }));
  });

  test.each(['/v1/messages/batch', '/v1/messages/transactional'])('for each channel of POST %s', async (path) => {
    const [one, other] = [await channel(), await channel()];
    const large = await subscribe(one, { filter: LARGE });
    const small = await subscribe(other, { filter: 'payload.amount <= 100' });
    const body = { messages: [one, other].flatMap((channelId) => messages.map((each) => ({ ...each, channelId }))) };
    const answer = await posthorn.request<{ ids: string[] }>('POST', path, body);
    expect(answer.status).toBe(202);
    const routed = await Promise.all(answer.body.ids.map(receiversOf));
    expect(routed).toEqual([[], [large], [large], [small], [], []]);
  });

  test('with an Idempotency-Key, once', async () => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter: LARGE });
    const send = () =>
      posthorn.request<{ ids: string[] }>(
        'POST',
        `/v1/channels/${channelId}/messages/batch`,
        { messages },
        { headers: { 'idempotency-key': `filtered-${channelId}` } },
      );
    await expectFiltered(id, await send());
    await expectFiltered(id, await send());
  });

  test("with publisher's ids, of what is new", async () => {
    const channelId = await channel();
    const id = await subscribe(channelId, { filter: LARGE });
    const named = messages.map((each, index) => ({ ...each, id: `order-${index}` }));
    const path = `/v1/channels/${channelId}/messages/batch`;
    await posthorn.request('POST', path, { messages: named.slice(0, 2) });
    await expectFiltered(id, await posthorn.request('POST', path, { messages: named }));
  });
});

test('half of 2,000 subscriptions filter a broadcast: exactly those that want it get it', async () => {
  const channelId = await channel();
  const first = await subscribe(channelId, { filter: 'payload.n % 10 == 0' });
  // As publishing the first time found them; made here at once, as 2,000 requests would make them.
  await posthorn.database.pool.query(
    `INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, filter,
       max_retries, initial_delay, max_delay, backoff_multiplier, updated_at)
     SELECT posthorn_id('sub'), environment_id, channel_id, name, webhook_url, event_types,
       CASE WHEN n % 2 = 0 THEN 'payload.n % 10 == ' || n % 10 END, 1, 1000, 1000, 1, now()
     FROM subscriptions, generate_series(1, 2000) n WHERE id = $1`,
    [first],
  );
  await posthorn.deps.db.channel.update({ where: { id: channelId }, data: { configVersion: { increment: 1 } } });
  const all = await posthorn.deps.db.subscription.findMany({ where: { channelId } });
  for (const n of [4, 5]) {
    const wanted = all.filter(({ filter }) => filter === null || filter.endsWith(` == ${n}`)).map(({ id }) => id);
    expect(wanted).toHaveLength(n === 4 ? 1_200 : 1_000);
    const message = await publish(posthorn, channelId, { payload: { n } });
    expect((await receiversOf(message.id)).toSorted()).toEqual(wanted.toSorted());
  }
});

describe('a filter that is changed', () => {
  test('through one process is what the next publish through the other one asks', async () => {
    const other = await startSecondApi(posthorn);
    try {
      const channelId = await channel();
      const id = await subscribe(channelId, { filter: 'payload.n == 0' });
      const receivesThere = async (n: number): Promise<boolean> => {
        const path = `/v1/channels/${channelId}/messages`;
        const { body } = await other.request<{ id: string }>('POST', path, { eventType: 'a', payload: { n } });
        return (await receiversOf(body.id)).includes(id);
      };
      expect([await receivesThere(0), await receivesThere(1)]).toEqual([true, false]);
      await change(id, { filter: 'payload.n == 1' });
      expect([await receivesThere(1), await receivesThere(0)]).toEqual([true, false]);
      await change(id, { filter: null });
      expect([await receivesThere(1), await receivesThere(0)]).toEqual([true, true]);
    } finally {
      await other.stop();
    }
  });

  test('beside others of its channel, and beside the deletion of the channel, waits for nobody in a circle', async () => {
    const channelId = await channel();
    const ids = await Promise.all(
      Array.from({ length: 4 }, (_, n) => subscribe(channelId, { filter: `payload.n == ${n}` })),
    );
    const changed = await Promise.all(ids.map((id) => change(id, { filter: 'true', eventTypes: ['a'] })));
    expect(changed.map(({ status }) => status)).toEqual(ids.map(() => 200));
    const version = (await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } })).configVersion;
    expect(version).toBe(1 + 2 * ids.length);
    const [deleted, ...beside] = await Promise.all([
      posthorn.request('DELETE', `/v1/channels/${channelId}`),
      ...ids.map((id, n) =>
        n % 2 === 0 ? change(id, { filter: null }) : posthorn.request('DELETE', `/v1/subscriptions/${id}`),
      ),
    ]);
    expect(deleted.status).toBe(204);
    expect(beside.map(({ status }) => status).filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
  });

  test('while others publish routes each message by the filter of that moment, never by none or two', async () => {
    const channelId = await channel();
    const [turns, changes] = [5, 40];
    const filterOf = (turn: number): string => `payload.n % ${turns} == ${turn % turns}`;
    const id = await subscribe(channelId, { filter: filterOf(0) });
    // Changes that were asked for, and changes that were answered.
    let [asked, answered] = [0, 0];
    let isOver = false;
    const published: { id: string; n: number; from: number; to: number }[] = [];
    const publishing = async (): Promise<void> => {
      while (!isOver) {
        const n = published.length;
        const from = answered;
        const path = `/v1/channels/${channelId}/messages`;
        const { status, body } = await posthorn.request<{ id: string }>('POST', path, {
          eventType: 'a',
          payload: { n },
        });
        // UNAVAILABLE for one that met a change at each of its checks.
        expect([202, 503]).toContain(status);
        if (status === 202) published.push({ id: body.id, n, from, to: asked });
      }
    };
    const changing = async (): Promise<void> => {
      for (let turn = 1; turn <= changes; turn += 1) {
        const isRemoved = turn % 10 === 0;
        asked = turn;
        expect((await change(id, { filter: isRemoved ? null : filterOf(turn) })).status).toBe(200);
        answered = turn;
        const enough = published.length + 2;
        while (!isOver && published.length < enough) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const ending = (act: Promise<void>): Promise<void> => act.finally(() => (isOver = true));
    await Promise.all([changing(), publishing(), publishing(), publishing()].map(ending));

    const wrong: unknown[] = [];
    for (const { id: messageId, n, from, to } of published) {
      const isReceived = (await receiversOf(messageId)).includes(id);
      const possible = Array.from({ length: to - from + 1 }, (_, index) => from + index).map(
        (turn) => (turn > 0 && turn % 10 === 0) || n % turns === turn % turns,
      );
      if (!possible.includes(isReceived)) wrong.push({ n, from, to, isReceived });
    }
    expect(wrong).toEqual([]);
    expect(published.length).toBeGreaterThanOrEqual(2 * changes);
  });
});
