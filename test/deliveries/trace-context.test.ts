import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { waitForDelivery } from '../support/make/factories.ts';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

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
