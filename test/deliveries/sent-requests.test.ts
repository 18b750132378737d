import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { recordCrash } from '../../src/delivery/record/statements/record.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { createChannel, createSubscription, deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { insertFailed } from '../support/make/listed-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Receiver } from '../support/world/receiver.ts';

describe('sent requests', () => {
  type Sent = { version: number; method: string; url: string; headers: Record<string, string> };
  type WithRequest = { number: number; startedAt: string; request?: Sent };

  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const TRACED = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'congo=t61' };
  const CUSTOM = {
    'X-Shop': 'Berlin 7',
    Authorization: 'Bearer abcdefgh',
    'X-Api-Key': 'k1',
    'X-Region': 'Basic dXNlcjpwYXNz',
    'X-Tenant': '4bf92f3577b34da6a3ce929d0e0e4736',
  };
  const MASKED = {
    'X-Shop': 'Berlin 7',
    Authorization: '***',
    'X-Api-Key': '***',
    'X-Region': '***',
    'X-Tenant': '***',
  };
  /** Headers of the connection, which the record has not. */
  const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'user-agent', 'accept-encoding'];

  // off: what was just published is tried with what the publish has read. 0: it is drained, and read again where that was too long ago.
  describe.each(['off', '0'])('with DELIVERY_BURST_THRESHOLD %s', (threshold) => {
    let scene: DeliveryScene;
    beforeAll(async () => {
      scene = await setDeliveryScene(threshold);
    });
    afterEach(() => scene.endReceivers());
    afterAll(() => scene.end());

    const requestsOf = async (deliveryId: string): Promise<(Sent | undefined)[]> =>
      ((await scene.attemptsOf(deliveryId)) as unknown as WithRequest[])
        .sort((a, b) => a.number - b.number)
        .map(({ request }) => request);
    const deliveryIdOf = async (messageId: string): Promise<string> =>
      (await deliveryOf(scene.posthorn, messageId))?.id ?? '';
    const got = ({ requests }: Receiver, index: number): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(requests[index]?.headers ?? {}).filter(([name]) => !OF_THE_CONNECTION.includes(name)),
      );

    test('each attempt shows the request that its receiver got, with credentials masked', async () => {
      const { receiver, channelId, subscriptionId } = await scene.subscribed([503, 200], { headers: CUSTOM });
      const webhookUrl = `${receiver.url}/in?token=s3cret&&plain`;
      await scene.posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { webhookUrl });
      const sent = { eventType: 'order.created', payload: { n: 1 } };
      const path = `/v1/channels/${channelId}/messages`;
      const answer = await scene.posthorn.request<{ id: string }>('POST', path, sent, { headers: TRACED });
      const { id } = answer.body;
      await waitForDelivery(scene.posthorn, id, 'delivered');

      const shown = await requestsOf(await deliveryIdOf(id));
      expect(shown).toHaveLength(2);
      for (const [index, request] of shown.entries()) {
        expect(request).toMatchObject({ version: 2, method: 'POST', url: `${receiver.url}/in?token=***&&***` });
        const { headers = {} } = request ?? {};
        expect(headers).toMatchObject(MASKED);
        const real = got(receiver, index);
        expect(Object.keys(headers).map((name) => name.toLowerCase())).toEqual(Object.keys(real));
        for (const [name, value] of Object.entries(headers)) {
          const was = real[name.toLowerCase()];
          if (name === 'traceparent') expect(value).toBe(`00-${TRACE}-***-01`);
          else if (value === '***') expect(was).not.toBe(value);
          else expect({ name, value }).toEqual({ name, value: was });
        }
        expect(headers['webhook-signature']).toBe('***');
      }
    });

    test('a change of the URL or of the headers begins another form, and attempts before it keep theirs', async () => {
      const { receiver, channelId, subscriptionId } = await scene.subscribed([503, 200], {
        headers: { 'X-Shop': '1' },
        retryPolicy: { maxRetries: 0 },
      });
      const { id } = await publish(scene.posthorn, channelId);
      await waitForDelivery(scene.posthorn, id, 'failed');
      const change = (body: object): Promise<unknown> =>
        scene.posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, body);
      await change({ name: 'renamed', timeoutMs: 5000 });
      await change({ headers: { 'X-Shop': '1' } });
      await change({ headers: { 'X-Shop': '2', 'X-Token': 'a' } });
      const deliveryId = await deliveryIdOf(id);
      await scene.posthorn.request('POST', `/v1/deliveries/${deliveryId}/retry`);
      await waitForDelivery(scene.posthorn, id, 'delivered');

      expect(await requestsOf(deliveryId)).toMatchObject([
        { version: 1, url: receiver.url, headers: { 'X-Shop': '1' } },
        { version: 2, url: receiver.url, headers: { 'X-Shop': '2', 'X-Token': '***' } },
      ]);
      // A credential stands nowhere but in its subscription.
      const { rows } = await scene.posthorn.deps.pool.query<{ headers: unknown }>(
        'SELECT headers FROM request_versions WHERE subscription_id = $1 ORDER BY version',
        [subscriptionId],
      );
      expect(rows.map(({ headers }) => headers)).toEqual([{ 'X-Shop': '1' }, { 'X-Shop': '2', 'X-Token': '***' }]);
    });

    test('the newest hundred forms are kept, and an attempt of an older one shows no request', async () => {
      const { channelId, subscriptionId } = await scene.subscribed([200]);
      const { id } = await publish(scene.posthorn, channelId);
      await waitForDelivery(scene.posthorn, id, 'delivered');
      const { pool } = scene.posthorn.deps;
      for (let change = 0; change < 100; change += 1)
        await pool.query(`UPDATE subscriptions SET headers = json_build_object('X-N', $2::text) WHERE id = $1`, [
          subscriptionId,
          String(change),
        ]);
      const { rows } = await pool.query<{ count: number; least: number }>(
        'SELECT count(*)::int, min(version) AS least FROM request_versions WHERE subscription_id = $1',
        [subscriptionId],
      );
      expect(rows).toEqual([{ count: 100, least: 2 }]);
      expect(await requestsOf(await deliveryIdOf(id))).toEqual([undefined]);
    });
  });

  describe('a mask', () => {
    let scene: DeliveryScene;
    beforeAll(async () => {
      scene = await setDeliveryScene('off');
    });
    afterEach(() => scene.endReceivers());
    afterAll(() => scene.end());

    const masked = async (webhookUrl: string, headers: object): Promise<{ url: string; headers: unknown }> => {
      const { rows } = await scene.posthorn.deps.pool.query<{ url: string; headers: unknown }>(
        'SELECT posthorn_masked_url($1) AS url, posthorn_masked_headers($2) AS headers',
        [webhookUrl, JSON.stringify(headers)],
      );
      if (rows[0] === undefined) throw new Error('There is no row');
      return rows[0];
    };

    test.each([
      ['https://a.example/in', 'https://a.example/in'],
      ['https://a.example/in?', 'https://a.example/in?'],
      ['https://a.example/in?a=1&b=&c', 'https://a.example/in?a=***&b=***&***'],
      ['https://a.example/in?a=b=c?d#part?x=1', 'https://a.example/in?a=***'],
      ['https://me:pass@a.example/@in?x=1', 'https://***@a.example/@in?x=***'],
      ['https://a.example#?x=1', 'https://a.example'],
    ])('the URL %s is shown as %s', async (url, shown) => {
      expect((await masked(url, {})).url).toBe(shown);
    });

    test('names and values that look like credentials are masked, and plain ones are not', async () => {
      const plain = { 'X-Shop': 'Berlin', 'X-Version': '2026-11-25', Accept: 'application/json', 'X-Empty': '' };
      const secret = {
        AUTHORIZATION: 'x',
        'x-amz_access_KEY': '1',
        'Api-Token': '1',
        'Client-Secret': '1',
        'X-Password': '1',
        'X-Session-Id': '1',
        'X-Signature-2': '1',
        'X-Plain': 'sk1live2abcdef3ghijkl4mn',
        'X-Scheme': 'Token abc',
      };
      const { headers } = await masked('https://a.example', { ...plain, ...secret });
      expect(headers).toEqual({ ...plain, ...Object.fromEntries(Object.keys(secret).map((name) => [name, '***'])) });
      expect((await masked('https://a.example', {})).headers).toBeNull();
    });

    test('an attempt whose worker died shows no request, because nobody knows which one was sent', async () => {
      const { id: channelId } = await createChannel(scene.posthorn);
      const { id: subscriptionId } = await createSubscription(scene.posthorn, {
        channelId,
        webhookUrl: 'https://example.com/in',
      });
      await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);
      const { id } = await publish(scene.posthorn, channelId);
      const { id: deliveryId = '' } = (await deliveryOf(scene.posthorn, id)) ?? {};
      await recordCrash(scene.posthorn.deps.pool, { deliveryId, round: 1, number: 1, carrier: 'a' });
      const attempts = await waitFor('the attempt', async () => {
        const found = await scene.attemptsOf(deliveryId);
        return found.length === 1 && found;
      });
      expect(attempts).toMatchObject([{ errorClass: 'crashed' }]);
      expect(attempts[0]).not.toHaveProperty('request');
    });
  });
});

describe('trace context', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = '00f067aa0ba902b7';
  const HEADERS = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'rojo=1 , congo=t61' };
  const MESSAGE = { eventType: 'order.created', payload: { n: 1 } };

  /** The traces of everything that a receiver was sent, by message. */
  const tracesOf = ({ requests }: Receiver): { traceparent: unknown; tracestate: unknown }[] =>
    requests.map(({ headers }) => ({ traceparent: headers['traceparent'], tracestate: headers['tracestate'] }));

  // off: what was just published is tried with what the publish has read. 0: it is drained, and read again where that was too long ago.
  describe.each(['off', '0'])('with DELIVERY_BURST_THRESHOLD %s', (threshold) => {
    let scene: DeliveryScene;
    beforeAll(async () => {
      scene = await setDeliveryScene(threshold);
    });
    afterEach(() => scene.endReceivers());
    afterAll(() => scene.end());

    const traceShown = async (id: string): Promise<string | undefined> =>
      (await scene.posthorn.request<{ traceId?: string }>('GET', `/v1/messages/${id}`)).body.traceId;
    const publish = async (path: string, body: unknown, headers: Record<string, string>): Promise<{ id: string }> => {
      const answer = await scene.posthorn.request<{ id: string; ids?: string[] }>('POST', path, body, { headers });
      expect(answer.status).toBe(202);
      return { id: answer.body.ids?.[0] ?? answer.body.id };
    };

    test('each try of a message has the trace-id of its publish and a parent-id of its own, retries too', async () => {
      const { receiver, channelId } = await scene.subscribed([503, 200], { headers: { 'X-Shop': '1' } });
      const { id } = await publish(`/v1/channels/${channelId}/messages`, MESSAGE, HEADERS);
      await waitForDelivery(scene.posthorn, id, 'delivered');
      const traces = tracesOf(receiver);
      expect(traces).toHaveLength(2);
      const parents = traces.map(({ traceparent, tracestate }) => {
        expect(tracestate).toBe('rojo=1,congo=t61');
        const [version, traceId, parentId = '', flags] = String(traceparent).split('-');
        expect([version, traceId, flags]).toEqual(['00', TRACE, '01']);
        expect(parentId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
        return parentId;
      });
      expect(new Set([...parents, PARENT]).size).toBe(3);
      expect(receiver.requests[0]?.headers['x-shop']).toBe('1');
    });

    test('every way of publishing keeps it: one message, a batch, a test message, and one that waits while paused', async () => {
      const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
      const { traceparent } = HEADERS;
      const subscription = `/v1/subscriptions/${subscriptionId}`;
      await publish(`/v1/channels/${channelId}/messages/batch`, { messages: [MESSAGE, MESSAGE] }, { traceparent });
      await publish(`${subscription}/test`, { payload: {} }, { traceparent });
      await waitFor('three requests', () => receiver.requests.length === 3);
      await scene.posthorn.request('POST', `${subscription}/pause`);
      await publish(`/v1/channels/${channelId}/messages`, MESSAGE, { traceparent });
      await scene.posthorn.request('POST', `${subscription}/resume`);
      await waitFor('four requests', () => receiver.requests.length === 4);
      const traces = tracesOf(receiver);
      for (const trace of traces)
        expect(trace).toEqual({ traceparent: expect.stringContaining(`00-${TRACE}-`), tracestate: undefined });
      const ids = receiver.requests.map(({ headers }) => String(headers['webhook-id']));
      for (const id of ids) expect(await traceShown(id)).toBe(TRACE);
      expect(new Set(traces.map((trace) => trace.traceparent)).size).toBe(4);
    });

    test('without one, or with a malformed one, nothing is sent; other messages of the same group keep theirs', async () => {
      const { receiver, channelId } = await scene.subscribed([200]);
      const path = `/v1/channels/${channelId}/messages`;
      const [bare, broken, alone, traced] = await Promise.all([
        publish(path, MESSAGE, {}),
        publish(path, MESSAGE, { ...HEADERS, traceparent: `00-${TRACE}-${PARENT}` }),
        publish(path, MESSAGE, { tracestate: 'rojo=1' }),
        publish(path, MESSAGE, HEADERS),
      ]);
      await waitFor('four requests', () => receiver.requests.length === 4);
      const traceOf = ({ id }: { id: string }): unknown =>
        receiver.requests.find(({ headers }) => headers['webhook-id'] === id)?.headers['traceparent'];
      expect([bare, broken, alone].map(traceOf)).toEqual([undefined, undefined, undefined]);
      expect(traceOf(traced)).toMatch(`00-${TRACE}-`);
      expect(tracesOf(receiver).filter(({ tracestate }) => tracestate !== undefined)).toHaveLength(1);
      const shown = await Promise.all([bare, broken, alone, traced].map(({ id }) => traceShown(id)));
      expect(shown).toEqual([undefined, undefined, undefined, TRACE]);
    });

    test('a subscription cannot set one, and one that an older rule let in is not sent', async () => {
      const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
      const subscription = `/v1/subscriptions/${subscriptionId}`;
      for (const name of ['traceparent', 'Tracestate']) {
        const headers = { [name]: HEADERS.traceparent };
        const answer = await scene.posthorn.request<{ error: { code: string; details: { field: string } } }>(
          'PATCH',
          subscription,
          { headers },
        );
        expect([answer.status, answer.body.error.details.field]).toEqual([400, expect.stringContaining(name)]);
      }
      const headers = { Traceparent: 'old', TRACESTATE: 'old', 'X-Shop': '1' };
      await scene.posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { headers } });
      const path = `/v1/channels/${channelId}/messages`;
      await publish(path, MESSAGE, {});
      await waitFor('a request', () => receiver.requests.length === 1);
      await publish(path, MESSAGE, HEADERS);
      await waitFor('two requests', () => receiver.requests.length === 2);
      expect(receiver.requests.map((request) => request.headers['x-shop'])).toEqual(['1', '1']);
      expect(tracesOf(receiver)).toEqual([
        { traceparent: undefined, tracestate: undefined },
        { traceparent: expect.stringContaining(`00-${TRACE}-`), tracestate: 'rojo=1,congo=t61' },
      ]);
    });
  });
});

describe('response bodies', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
  });
  afterAll(() => posthorn.stop());

  type Listed = { data: { id: string; response?: { status: number; body: string; latencyMs: number } }[] };

  test('a list without bodies has the same rows, and the delivery itself keeps its body', async () => {
    const { pool, db } = posthorn.deps;
    const { id: channelId } = await createChannel(posthorn);
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const { id: subscriptionId } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: 'https://example.com/',
    });
    await insertFailed(pool, { environmentId, channelId }, subscriptionId, 100);
    await pool.query("UPDATE deliveries SET response_body = repeat('x', 16384) WHERE subscription_id = $1", [
      subscriptionId,
    ]);
    const list = async (query: string): Promise<Listed> => {
      const path = `/v1/deliveries?subscriptionId=${subscriptionId}&limit=100${query}`;
      const { status, body } = await posthorn.request<Listed>('GET', path);
      expect(status).toBe(200);
      return body;
    };
    const [whole, asAsked, without] = [
      await list(''),
      await list('&responseBodies=true'),
      await list('&responseBodies=false'),
    ];
    expect(asAsked).toEqual(whole);
    expect(JSON.stringify(whole).length).toBeGreaterThan(1_600_000);
    expect(JSON.stringify(without).length).toBeLessThan(100_000);
    const emptied = whole.data.map((row) => ({ ...row, response: { ...row.response, body: '' } }));
    expect(without.data).toEqual(emptied);
    const [first] = without.data;
    const { body: one } = await posthorn.request<Listed['data'][number]>('GET', `/v1/deliveries/${first?.id}`);
    expect(one.response?.body).toHaveLength(16_384);
  });
});
