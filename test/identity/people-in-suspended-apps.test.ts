import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { actIn, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

test('a person in a suspended app reads and changes it and publishes nothing, until that person makes it active again', async () => {
  const { browser, me } = await setUp(posthorn);
  actIn(browser, me, 'test');
  const statusOf = async (method: string, path: string, sent?: unknown) =>
    (await browser.request(method, path, sent)).status;
  const app = `/v1/apps/${me.organisations[0]?.apps[0]?.id}`;
  const made = await browser.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
  const publish = () =>
    browser.request<Refusal>('POST', `/v1/channels/${made.body.id}/messages`, { eventType: 'a.b', payload: {} });
  expect(await statusOf('PATCH', app, { status: 'suspended' })).toBe(200);
  const { status, body } = await publish();
  expect([status, body.error.code, body.error.details]).toEqual([
    403,
    'FORBIDDEN',
    { field: 'posthorn-app', reason: 'belongs to an app that is suspended' },
  ]);
  expect(await posthorn.deps.db.message.count({ where: { channelId: made.body.id } })).toBe(0);
  expect(await statusOf('GET', `/v1/channels/${made.body.id}`)).toBe(200);
  expect(await statusOf('PATCH', `/v1/channels/${made.body.id}`, { description: 'x' })).toBe(200);
  expect(await statusOf('PATCH', app, { status: 'active', name: 'Changed in test' })).toBe(200);
  expect((await publish()).status).toBe(202);
});
