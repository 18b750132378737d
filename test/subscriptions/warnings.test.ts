import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { type PageJson, publish, waitForDelivery } from '../support/make/factories.ts';

/**
 * Subscriptions that are older than a rule. Old mechanism: `Cookie`, `X_Forwarded_For` and the like could be saved and were
 * sent; a rule that came later was asked at every PATCH that repeated the stored value, and nothing showed that it was broken.
 */
const OLD_HEADERS = {
  Cookie: 'session=1',
  X_Forwarded_For: '10.0.0.1',
  'X-CSRF-Token': 'a',
  Proxy: 'b',
  'X-Shop': '1',
  Authorization: 'Bearer x',
};
const REFUSED = ['Cookie', 'X_Forwarded_For', 'X-CSRF-Token', 'Proxy'];
const OLD_URL = 'http://10.0.0.1/hook';
// One try, so that a refused delivery is over at once.
const ONE_TRY = { maxRetries: 0 };

type Json = {
  id: string;
  name: string;
  headers: Record<string, string>;
  warnings?: { field: string; reason: string }[];
};
type Refusal = { error: { code: string; details: { field: string; reason: string } } };

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await setDeliveryScene('off');
});
afterEach(() => scene.endReceivers());
afterAll(() => scene.end());

/** A subscription whose row has what the API would not take today. */
async function older(data: { headers?: Record<string, string>; webhookUrl?: string }) {
  const made = await scene.subscribed([200], { retryPolicy: ONE_TRY });
  await scene.posthorn.deps.db.subscription.update({ where: { id: made.subscriptionId }, data });
  return { ...made, path: `/v1/subscriptions/${made.subscriptionId}` };
}

const patch = <T = Json>(path: string, body: object) => scene.posthorn.request<T>('PATCH', path, body);
const headerWarnings = REFUSED.map((name) => ({
  field: `headers["${name}"]`,
  reason: expect.stringMatching(/^is not sent: it may not be set/),
}));

test('such a header cannot be saved, in a new subscription or a stored one, and nothing is changed', async () => {
  const { channelId, receiver, subscriptionId } = await scene.subscribed([200], { headers: { 'X-Shop': '1' } });
  const path = `/v1/subscriptions/${subscriptionId}`;
  for (const name of REFUSED) {
    const refused = { code: 'INVALID_REQUEST', details: { field: `headers["${name}"]`, reason: expect.any(String) } };
    const headers = { 'X-Shop': '2', [name]: 'x' };
    const body = { channelId, webhookUrl: receiver.url, headers };
    const created = await scene.posthorn.request<Refusal>('POST', '/v1/subscriptions', body);
    expect([created.status, created.body.error]).toMatchObject([400, refused]);
    const patched = await patch<Refusal>(path, { name: 'other', headers });
    expect([patched.status, patched.body.error]).toMatchObject([400, refused]);
  }
  const { body } = await scene.posthorn.request<Json>('GET', path);
  expect(body.headers).toEqual({ 'X-Shop': '1' });
  expect(body).not.toHaveProperty('warnings');
});

describe('stored headers that could not be saved today', () => {
  test('are not sent, and the others are', async () => {
    const { receiver, channelId } = await older({ headers: OLD_HEADERS });
    const message = await publish(scene.posthorn, channelId);
    await waitForDelivery(scene.posthorn, message.id, 'delivered');
    expect(receiver.requests).toHaveLength(1);
    const sent = receiver.requests[0]?.headers ?? {};
    expect(sent).toMatchObject({ 'x-shop': '1', authorization: 'Bearer x' });
    for (const name of REFUSED) expect(sent).not.toHaveProperty(name.toLowerCase());
  });

  test('are shown as warnings, one each, wherever the subscription is shown', async () => {
    const { path, channelId } = await older({ headers: OLD_HEADERS });
    const list = await scene.posthorn.request<PageJson<Json>>('GET', `/v1/subscriptions?channelId=${channelId}`);
    const one = await scene.posthorn.request<Json>('GET', path);
    const paused = await scene.posthorn.request<Json>('POST', `${path}/pause`);
    const resumed = await scene.posthorn.request<Json>('POST', `${path}/resume`);
    for (const shown of [list.body.data[0], one.body, paused.body, resumed.body]) {
      expect(shown?.headers).toEqual(OLD_HEADERS);
      expect(shown?.warnings).toEqual(headerWarnings);
    }
  });

  test('do not stand in the way of another change, stay when they are sent back, and go when they are replaced', async () => {
    const { path } = await older({ headers: OLD_HEADERS });
    const renamed = await patch(path, { name: 'renamed' });
    expect([renamed.status, renamed.body.name, renamed.body.warnings]).toEqual([200, 'renamed', headerWarnings]);
    const sameOtherOrder = Object.fromEntries(Object.entries(OLD_HEADERS).reverse());
    expect((await patch(path, { name: 'again', headers: sameOtherOrder })).status).toBe(200);
    const { body: read } = await scene.posthorn.request<Json>('GET', path);
    const sentBack = await patch(path, read);
    expect([sentBack.status, sentBack.body.warnings]).toEqual([200, read.warnings]);
    expect(read.warnings).toHaveLength(REFUSED.length);
    // Old mechanism: one entry with another value had all of them judged anew.
    const besides = { ...OLD_HEADERS, 'X-Shop': '2', 'X-New': 'n' };
    const changed = await patch(path, { headers: besides });
    expect([changed.status, changed.body.headers, changed.body.warnings]).toEqual([200, besides, headerWarnings]);
    for (const other of [{ Cookie: 'session=2' }, { cookie: OLD_HEADERS.Cookie }, { Cookie2: 'a' }]) {
      const refused = await patch<Refusal>(path, { headers: { ...besides, ...other } });
      const [name] = Object.keys(other);
      expect([refused.status, refused.body.error.details.field]).toEqual([400, `headers["${name}"]`]);
    }
    expect((await scene.posthorn.request<Json>('GET', path)).body.headers).toEqual(besides);
    const replaced = await patch(path, { headers: { 'X-Shop': '2' } });
    expect([replaced.status, replaced.body.headers]).toEqual([200, { 'X-Shop': '2' }]);
    expect(replaced.body).not.toHaveProperty('warnings');
  });
});

describe('a stored URL that could not be saved today', () => {
  test('is not sent to: the try is refused as blocked_address, with a plain message', async () => {
    const { receiver, channelId } = await older({ webhookUrl: OLD_URL });
    const message = await publish(scene.posthorn, channelId);
    const delivery = await waitForDelivery(scene.posthorn, message.id, 'failed');
    expect(await scene.attemptsOf(delivery.id)).toMatchObject([
      {
        outcome: 'failed',
        errorClass: 'blocked_address',
        errorMessage: 'the webhook URL must not be a private, local or reserved address',
      },
    ]);
    expect(receiver.requests).toEqual([]);
  });

  test('is shown as a warning, and does not stand in the way of another change', async () => {
    const { path, receiver } = await older({ webhookUrl: OLD_URL });
    const reason = 'is not sent to: it must not be a private, local or reserved address';
    const renamed = await patch(path, { name: 'renamed', webhookUrl: OLD_URL });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'renamed']);
    expect(renamed.body.warnings).toEqual([{ field: 'webhookUrl', reason }]);
    const other = await patch<Refusal>(path, { webhookUrl: 'http://10.0.0.2/hook' });
    expect([other.status, other.body.error.details.field]).toEqual([400, 'webhookUrl']);
    const mended = await patch(path, { webhookUrl: receiver.url });
    expect(mended.status).toBe(200);
    expect(mended.body).not.toHaveProperty('warnings');
    expect((await scene.posthorn.request('GET', path)).body).not.toHaveProperty('warnings');
  });
});
