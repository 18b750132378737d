import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { actIn, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let person: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  person = await setUp(posthorn);
  actIn(person.browser, person.me, 'test');
});
afterAll(() => posthorn.stop());

type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

test('a person in a suspended app reads and changes it and publishes nothing, until that person makes it active again', async () => {
  const { browser, me } = person;
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

// A session started runs whose steps sent, and the test of a connection asked its service.
test('has no run started or retried, no approval decided and no connection asked there, while the rest is read', async () => {
  const { browser, me } = person;
  const app = `/v1/apps/${me.organisations[0]?.apps[0]?.id}`;
  const made = async (path: string, body: unknown) =>
    (await browser.request<{ id: string }>('POST', path, body)).body.id;
  const steps = [{ id: 'note', type: 'action', config: { action: 'log' } }];
  const workflow = await made('/v1/workflows', { name: 'w', status: 'active', trigger: { type: 'manual' }, steps });
  const run = await made(`/v1/workflows/${workflow}/runs`, {});
  const connection = await made('/v1/connections', {
    connectorId: 'http',
    name: 'c',
    credentials: { baseUrl: 'https://service.example.com', value: 'x' },
  });
  expect([workflow, run, connection]).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
  expect((await browser.request('PATCH', app, { status: 'suspended' })).status).toBe(200);
  for (const path of [
    `/v1/workflows/${workflow}/runs`,
    `/v1/runs/${run}/retry`,
    `/v1/runs/${run}/approve`,
    `/v1/runs/${run}/reject`,
    `/v1/connections/${connection}/test`,
    `/v1/connections/${connection}/authorize`,
  ]) {
    const { status, body } = await browser.request<Refusal>('POST', path, {});
    expect([path, status, body.error.details]).toEqual([
      path,
      403,
      { field: 'posthorn-app', reason: 'belongs to an app that is suspended' },
    ]);
  }
  expect(await posthorn.deps.db.run.count({ where: { workflowId: workflow } })).toBe(1);
  for (const path of [`/v1/runs/${run}`, `/v1/workflows/${workflow}`, `/v1/connections/${connection}`])
    expect([path, (await browser.request('GET', path)).status]).toEqual([path, 200]);
  expect((await browser.request('POST', `/v1/runs/${run}/cancel`)).status).toBe(202);
});
