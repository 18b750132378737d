import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tableContents } from '../support/check/table-contents.ts';
import { make } from '../support/make/seed.ts';
import { makeNeighbourhood, type Neighbourhood, type Tenant } from '../support/make/tenants.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { callerByKey } from '../support/world/credential-caller.ts';

/** A channel that a neighbour publishes to: every subscription of the others has a filter, and nobody matches what was not checked. */
let posthorn: TestPosthorn;
let all: Neighbourhood;
let neighbours: readonly Tenant[];
let channelId: string;
let subscriptionId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  all = await makeNeighbourhood(posthorn);
  neighbours = [all.otherOrganisation, all.otherApp, all.otherEnvironment];
  const schema = { type: 'object', required: ['n'] };
  ({ id: channelId } = await make(posthorn, all.victim.key, '/v1/channels', { name: 'strict', schema }));
  const subscription = { channelId, name: 'all', webhookUrl: 'https://example.com/hook' };
  ({ id: subscriptionId } = await make(posthorn, all.victim.key, '/v1/subscriptions', subscription));
  // The process knows the channel's schema from now on.
  await make(posthorn, all.victim.key, `/v1/channels/${channelId}/messages`, { ...message, id: 'known' });
});
afterAll(() => posthorn.stop());

const message = { eventType: 'order.created', payload: { n: 1 } };
const misfit = { eventType: 'order.created', payload: {} };

describe.each<[string, object]>([
  ['a message', message],
  ['a message that waits for its time', { ...message, delay: 60_000 }],
  ['a message with the id of one of the channel', { ...message, id: 'known' }],
  ['a waiting message with such an id', { ...message, id: 'known', delay: 60_000 }],
  ['a message that does not fit the channel', misfit],
  ['a misfit with the id of a message of the channel', { ...misfit, id: 'known' }],
])('%s', (_, body) => {
  test.each<[string, string, (sent: object) => object]>([
    ['alone', '/messages', (sent) => sent],
    ['in a batch of the channel', '/messages/batch', (sent) => ({ messages: [sent] })],
  ])('%s finds no channel of a neighbour, and leaves nothing there', async (__, path, wrap) => {
    const before = await tableContents(posthorn.deps.pool);
    for (const { key } of neighbours) {
      const { status } = await callerByKey(posthorn.url, key)('POST', `/v1/channels/${channelId}${path}`, wrap(body));
      expect(status).toBe(404);
    }
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });
});

test('a message of a neighbour that waits for its time is neither erased nor cancelled', async () => {
  const waiting = all.victim.ids.scheduledMessageId;
  const before = await tableContents(posthorn.deps.pool);
  for (const { key } of neighbours) {
    const ask = callerByKey(posthorn.url, key);
    expect((await ask('DELETE', `/v1/messages/${waiting}`)).status).toBe(404);
    expect((await ask('POST', `/v1/messages/${waiting}/cancel`)).status).toBe(404);
  }
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});

test.each(['active', 'paused'])(
  'a test message for a subscription of a neighbour that is %s finds none',
  async (status) => {
    await posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { status } });
    const before = await tableContents(posthorn.deps.pool);
    for (const { key } of neighbours) {
      const reply = await callerByKey(posthorn.url, key)('POST', `/v1/subscriptions/${subscriptionId}/test`);
      expect([reply.status, reply.text]).toEqual([404, expect.stringContaining('No such subscription')]);
    }
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  },
);

test.each<[string, () => object]>([
  ['a payload', () => message],
  ['a payload that does not fit', () => misfit],
  ['a subscription of the channel', () => ({ ...message, subscriptionId })],
  ['no subscription of the channel', () => ({ ...message, subscriptionId: all.victim.ids.subscriptionId })],
  ['a message of the channel', () => ({ messageId: all.victim.ids.messageId })],
])('a dry run with %s finds no channel of a neighbour', async (_, bodyOf) => {
  for (const { key } of neighbours) {
    const reply = await callerByKey(posthorn.url, key)('POST', `/v1/channels/${channelId}/dry-run`, bodyOf());
    expect([reply.status, reply.text]).toEqual([404, expect.stringContaining('NOT_FOUND')]);
  }
});
