import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FilterTrial } from '../../src/publishing/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { createChannel, publish } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const ask = <T = FilterTrial>(channelId: string, body: unknown): Promise<Answer<T>> =>
  posthorn.request<T>('POST', `/v1/channels/${channelId}/filter-trial`, body);
/** A channel, and messages in it whose payloads are these, in this order. */
async function channelWith(payloads: readonly object[]): Promise<{ id: string; messages: string[] }> {
  const { id } = await createChannel(posthorn);
  const messages: string[] = [];
  for (const payload of payloads)
    messages.push((await publish(posthorn, id, { eventType: 'order.created', payload })).id);
  return { id, messages };
}

test('a filter is tried on the newest messages of a channel, newest first, and changes nothing', async () => {
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
  // One that fails does not match, and says why, as for a delivery.
  expect(body.messages.map(({ error }) => error !== undefined)).toEqual([false, true, false, false]);
  expect(body.messages[1]?.error).toMatch(/amount/);
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});

test('as many as asked for are tried, and none of another channel and none that was erased', async () => {
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

test.each(['chn_01k9f2xw6q7v8r3t5y4n0m1c2b', 'orders'])('a channel that is not there is none: %s', async (id) => {
  expect((await ask<Refusal>(id, { filter: 'true' })).status).toBe(404);
});
