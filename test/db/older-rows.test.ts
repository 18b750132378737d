import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SYSTEM_CHANNEL_NAME } from '../../src/kernel/words/event-types.ts';
import { publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { make } from '../support/make/seed.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

type Refusal = { error?: { code: string; details?: { field: string; reason: string } } };

/** As it could be stored before names were looked at. */
const ODD = 'two\nlines\u001b[2J';

async function store(
  table: 'channels' | 'subscriptions' | 'api_keys',
  column: string,
  value: string,
  id: string,
): Promise<void> {
  await posthorn.deps.pool.query(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, [value, id]);
}

/** Without what is measured at the moment of the answer: a delivery may end between two of them. */
const lasting = (body: Record<string, unknown>): Record<string, unknown> => ({ ...body, concurrency: undefined });

/** Reads it, sends it back, changes another field, and is refused another value of the kind that is no longer taken. */
async function expectAlive(
  address: string,
  field: string,
  odd: string,
  another: string,
  change: Record<string, unknown>,
) {
  const { status, body } = await posthorn.request('GET', address);
  expect([address, status, body[field]]).toEqual([address, 200, odd]);
  const sentBack = await posthorn.request('PATCH', address, body);
  expect(lasting(sentBack.body)).toEqual(lasting(body));
  expect(await posthorn.request('PATCH', address, { ...body, ...change })).toMatchObject({ status: 200, body: change });
  const refused = await posthorn.request<Refusal>('PATCH', address, { [field]: another });
  expect([address, refused.status, refused.body.error?.details?.field]).toEqual([address, 400, field]);
  expect((await posthorn.request('PATCH', address, { [field]: 'plain' })).body[field]).toBe('plain');
}

test('names and descriptions that were stored with control characters go on working until they are changed', async () => {
  const { live } = posthorn.keys;
  const channel = await make(posthorn, live, '/v1/channels', { name: 'a', description: 'b' });
  const subscription = await make(posthorn, live, '/v1/subscriptions', {
    channelId: channel.id,
    webhookUrl: receiver.url,
  });
  const apiKey = await make(posthorn, live, '/v1/api-keys', { name: 'a' });
  await store('channels', 'name', ODD, channel.id);
  await store('channels', 'description', ODD, channel.id);
  await store('subscriptions', 'name', ODD, subscription.id);
  await store('api_keys', 'name', ODD, apiKey.id);

  const message = await publish(posthorn, channel.id, { eventType: 'order.paid', payload: { n: 1 } });
  await waitForDelivery(posthorn, message.id, 'delivered');
  expect((await posthorn.request('GET', '/v1/channels', undefined, { key: String(apiKey['key']) })).status).toBe(200);

  await expectAlive(`/v1/channels/${channel.id}`, 'name', ODD, 'a\u007fb', { retentionDays: 9 });
  await expectAlive(`/v1/channels/${channel.id}`, 'description', ODD, 'a\tb', { retentionDays: 10 });
  await expectAlive(`/v1/subscriptions/${subscription.id}`, 'name', ODD, 'a\u0000b', { rateLimit: 9 });
  await expectAlive(`/v1/api-keys/${apiKey.id}`, 'name', ODD, 'a\rb', { tier: 'enterprise', scopes: ['dlq:read'] });
});

// Regression: nothing looked at the name, and later at its very letters only, so a second channel could pass for the one
// of the service.
test.each([SYSTEM_CHANNEL_NAME, ' Posthorn.SYSTEM '])(
  'a channel that has the name of the system channel goes on working, and no other one gets it: %j',
  async (name) => {
    const { live } = posthorn.keys;
    const channel = await make(posthorn, live, '/v1/channels', { name: 'older' });
    const subscription = { channelId: channel.id, webhookUrl: receiver.url };
    await make(posthorn, live, '/v1/subscriptions', subscription);
    const system = `/v1/channels/${await systemChannelOf(posthorn)}`;
    await store('channels', 'name', name, channel.id);
    const address = `/v1/channels/${channel.id}`;
    const message = await publish(posthorn, channel.id, { eventType: 'order.paid', payload: {} });
    await waitForDelivery(posthorn, message.id, 'delivered');
    expect(await posthorn.request('PATCH', address, { name, retentionDays: 9 })).toMatchObject({
      status: 200,
      body: { name, retentionDays: 9 },
    });
    expect((await posthorn.request('PATCH', address, { name: 'renamed' })).status).toBe(200);
    for (const [method, path] of [
      ['PATCH', address],
      ['POST', '/v1/channels'],
    ] as const) {
      const answer = await posthorn.request<Refusal>(method, path, { name });
      expect([method, answer.status, answer.body.error?.details]).toEqual([
        method,
        400,
        { field: 'name', reason: 'is reserved for the system channel' },
      ]);
    }
    expect((await posthorn.request('GET', system)).body).toMatchObject({ name: SYSTEM_CHANNEL_NAME });
  },
);

// Regression: createdAt came from the clock of the process, updatedAt from PostgreSQL's transaction.
test('the system channels were never changed before they were made', async () => {
  expect((await posthorn.deps.pool.query('SELECT FROM channels WHERE updated_at < created_at')).rowCount).toBe(0);
});
