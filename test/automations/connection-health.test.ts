import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

type Connection = { id: string; name: string; lastTest?: { at: string; ok: boolean; message: string } };
type Tested = { ok: boolean; status?: number; message: string };

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let status = 200;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({ answer: () => status });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const credentials = (value: string) => ({ baseUrl: receiver.url.slice(0, -1), value });
const connect = (name: string): Promise<Connection> =>
  calls.good('POST', '/v1/connections', {
    connectorId: 'http',
    name,
    shared: true,
    credentials: credentials('Bearer word'),
  });
const shown = (id: string): Promise<Connection> => calls.good('GET', `/v1/connections/${id}`);
const tested = (id: string): Promise<Tested> => calls.good('POST', `/v1/connections/${id}/test`);

test('a connection shows the last test of its present credentials', async () => {
  const { id, ...made } = await connect('CRM');
  expect(made.lastTest).toBeUndefined();
  status = 401;
  const { message } = await tested(id);
  expect((await shown(id)).lastTest).toEqual({ at: expect.any(String), ok: false, message });
  status = 200;
  await tested(id);
  const { lastTest } = await shown(id);
  expect(lastTest).toEqual({ at: expect.any(String), ok: true, message: 'HTTP takes the credentials' });
  const { data } = await calls.good<{ data: Connection[] }>('GET', '/v1/connections');
  expect(data.find((each) => each.id === id)?.lastTest).toEqual(lastTest);

  // The other environment tries it, and changes nothing of it.
  status = 401;
  const other = await posthorn.request<Tested>('POST', `/v1/connections/${id}/test`, undefined, {
    key: posthorn.keys.test,
  });
  expect(other.body.ok).toBe(false);
  expect((await shown(id)).lastTest).toEqual(lastTest);
  // Another name leaves the credentials as they are, and other credentials were never tested.
  expect((await calls.good<Connection>('PATCH', `/v1/connections/${id}`, { name: 'CRM 2' })).lastTest).toEqual(
    lastTest,
  );
  const changed = { credentials: credentials('Bearer another') };
  expect((await calls.good<Connection>('PATCH', `/v1/connections/${id}`, changed)).lastTest).toBeUndefined();
});

test('workflows are found by a connection that their present steps name', async () => {
  const [one, other] = [await connect('one'), await connect('other')];
  const stepOf = (connectionId: string) => ({
    id: 'ask',
    type: 'action',
    config: { action: 'connector', connectorId: 'http', operation: 'get', connectionId, params: { path: '/' } },
  });
  const make = async (name: string, steps: object[]): Promise<string> =>
    (await calls.good<{ id: string }>('POST', '/v1/workflows', { name, steps })).id;
  const asking = await make('asking', [stepOf(one.id)]);
  const changed = await make('changed', [stepOf(one.id)]);
  await make('another', [stepOf(other.id)]);
  await make('none', []);
  const found = async (query: string): Promise<string[]> =>
    (await calls.good<{ data: { id: string }[] }>('GET', `/v1/workflows?${query}`)).data.map(({ id }) => id);
  expect(await found(`connectionId=${one.id}`)).toEqual([changed, asking]);
  expect(await found(`connectionId=${one.id}&name=ASK&definitions=false`)).toEqual([asking]);
  expect(await found(`connectionId=${one.id}&status=active`)).toEqual([]);
  const first = await calls.good<{ pagination: { cursor?: string } }>(
    'GET',
    `/v1/workflows?connectionId=${one.id}&limit=1`,
  );
  expect(await found(`connectionId=${one.id}&limit=1&cursor=${first.pagination.cursor}`)).toEqual([asking]);
  await calls.good('PATCH', `/v1/workflows/${changed}`, { steps: [stepOf(other.id)] });
  expect(await found(`connectionId=${one.id}`)).toEqual([asking]);
  for (const nobody of ['cxn_01m7xyn298e61rz1njzm3v0vwc', 'x', '%25'])
    expect(await found(`connectionId=${nobody}`)).toEqual([]);
});
