import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { oauthConnections } from '../support/make/oauth-connections.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { startTokenProvider, type TokenProvider } from '../support/world/token-provider.ts';

type Connection = { id: string; environment: string; shared: boolean };

let posthorn: TestPosthorn;
let live: ReturnType<typeof workflowCalls>;
let trying: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let provider: TokenProvider;

/** Calls with another API key. */
const callsWith = (key: string) => {
  const request: TestPosthorn['request'] = (method, path, body, options) =>
    posthorn.request(method, path, body, { key, ...options });
  return { ...workflowCalls({ request }), request };
};

beforeAll(async () => {
  provider = await startTokenProvider();
  posthorn = await startPosthorn();
  live = workflowCalls(posthorn);
  trying = callsWith(posthorn.keys.test);
  receiver = await startReceiver({});
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
  await provider.close();
});

const crm = (more: object = {}): Promise<Connection> =>
  live.good('POST', '/v1/connections', {
    connectorId: 'http',
    name: 'CRM',
    credentials: { baseUrl: receiver.url.slice(0, -1), value: 'Bearer word' },
    ...more,
  });
const asking = (connectionId: string, connectorId = 'http') => ({
  id: 'ask',
  type: 'action',
  config: {
    action: 'connector',
    connectorId,
    operation: 'get',
    connectionId,
    params: { path: '/deals' },
    retryPolicy: { maxRetries: 0 },
  },
});
const refusedBy = async (calls: typeof trying, connectionId: string): Promise<unknown> => {
  const body = { name: 'asking', trigger: { type: 'manual' }, steps: [asking(connectionId)] };
  return (await calls.good<{ errors: unknown[] }>('POST', '/v1/workflows/validate', body)).errors;
};
const run = async (calls: typeof trying, workflowId: string) => calls.ended((await calls.start(workflowId)).id);
const idsOf = async (calls: typeof trying): Promise<string[]> =>
  (await calls.good<{ data: Connection[] }>('GET', '/v1/connections?limit=100')).data.map(({ id }) => id);
const noSuch = [{ field: 'steps[0].config.connectionId', reason: 'no such connection in this environment' }];

test("a connection is its environment's alone until it is shared, and again once it is no more", async () => {
  const { id, ...made } = await crm();
  expect(made).toMatchObject({ environment: 'live', shared: false });
  expect(await refusedBy(trying, id)).toEqual(noSuch);
  expect(await idsOf(trying)).not.toContain(id);

  const shared = await live.good<Connection>('PATCH', `/v1/connections/${id}`, { shared: true });
  expect(shared).toMatchObject({ environment: 'live', shared: true });
  expect(await trying.good('GET', `/v1/connections/${id}`)).toEqual(shared);
  expect(await idsOf(trying)).toContain(id);
  expect(await trying.good('POST', `/v1/connections/${id}/test`)).toMatchObject({ status: 200 });
  const workflowId = await trying.activate({ type: 'manual' }, [asking(id)]);
  const received = receiver.requests.length;
  expect(await run(trying, workflowId)).toMatchObject({ status: 'completed' });
  expect(receiver.requests.slice(received).map(({ headers }) => headers.authorization)).toEqual(['Bearer word']);
  expect((await live.good<{ lastUsedAt?: string }>('GET', `/v1/connections/${id}`)).lastUsedAt).toBeDefined();

  await live.good('PATCH', `/v1/connections/${id}`, { shared: false });
  expect((await run(trying, workflowId)).error).toMatchObject({ code: 'CONNECTION_MISSING' });
  const { body } = await posthorn.request<{ data: { before?: unknown; after?: unknown }[] }>(
    'GET',
    `/v1/audit?targetId=${id}&limit=1`,
  );
  expect(body.data[0]).toMatchObject({ before: { shared: true }, after: { shared: false } });
});

test('the other environment changes, authorizes and deletes nothing that it sees', async () => {
  const { id } = await crm({ shared: true });
  const before = await live.good('GET', `/v1/connections/${id}`);
  for (const [method, path, sent] of [
    ['PATCH', '', { name: 'mine' }],
    ['PATCH', '', { shared: false }],
    ['DELETE', ''],
    ['POST', '/authorize'],
  ] as const) {
    const answer = await posthorn.request<{ error: { code: string; message: string } }>(
      method,
      `/v1/connections/${id}${path}`,
      sent,
      { key: posthorn.keys.test },
    );
    expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(answer.body.error.message).toContain('belongs to the live environment');
  }
  expect(await live.good('GET', `/v1/connections/${id}`)).toEqual(before);
});

test('no other app of the organisation sees what is shared', async () => {
  const { id } = await crm({ shared: true });
  const { deps, services } = posthorn;
  const { organisationId } = await deps.db.app.findFirstOrThrow();
  const { id: appId } = await services.apps.operator.create({ name: 'Other' }, organisationId);
  const { id: environmentId } = await deps.db.environment.findFirstOrThrow({ where: { appId, kind: 'live' } });
  const { key } = await services.apiKeys.operator.create({ environment: 'test', appId, name: 'x', tier: 'enterprise' });
  const stranger = callsWith(key);
  expect(await refusedBy(stranger, id)).toEqual(noSuch);
  expect(await idsOf(stranger)).toEqual([]);
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/authorize'],
  ] as const) {
    const { status } = await stranger.request(
      method,
      `/v1/connections/${id}${path}`,
      method === 'PATCH' ? { shared: false } : undefined,
    );
    expect(status).toBe(404);
  }
  await deps.tenants.onConnection({ organisationId, environmentId }, async (connection) => {
    expect((await connection.query('SELECT FROM connections')).rowCount).toBe(0);
  });
});

test('PostgreSQL shows the other environment what is shared, and lets it write nothing there', async () => {
  const [{ id: shared }, { id: own }] = [await crm({ shared: true }), await crm()];
  const { db, tenants } = posthorn.deps;
  const { app, id: owner } = await db.environment.findFirstOrThrow({
    where: { kind: 'live', connections: { some: { id: shared } } },
    include: { app: { include: { environments: true } } },
  });
  const other = app.environments.find(({ kind }) => kind === 'test')?.id ?? '';
  const tenant = { organisationId: app.organisationId, environmentId: other };
  const counts = await tenants.onConnection(tenant, async (connection) => {
    const countOf = async (text: string): Promise<number | null> =>
      (await connection.query(text, [[shared, own]])).rowCount;
    return [
      await countOf('SELECT FROM connections WHERE id = ANY ($1)'),
      await countOf(`UPDATE connections SET name = 'mine' WHERE id = ANY ($1)`),
      await countOf('DELETE FROM connections WHERE id = ANY ($1)'),
    ];
  });
  expect(counts).toEqual([1, 0, 0]);
  const insert = `INSERT INTO connections (id, environment_id, connector, name, ciphertext, created_at, updated_at, shared)
    VALUES ('cxn_mine', $1, 'http', 'mine', '', now(), now(), true)`;
  await expect(tenants.onConnection(tenant, (connection) => connection.query(insert, [owner]))).rejects.toMatchObject({
    code: '42501',
  });
});

test('a connection that the test environment shares is there for live until it is deleted', async () => {
  const { id } = await trying.good<Connection>('POST', '/v1/connections', {
    connectorId: 'http',
    name: 'CRM of trials',
    credentials: { baseUrl: receiver.url.slice(0, -1), value: 'Bearer word' },
    shared: true,
  });
  expect(await live.good('GET', `/v1/connections/${id}`)).toMatchObject({ environment: 'test' });
  const workflowId = await live.activate({ type: 'manual' }, [asking(id)]);
  expect(await run(live, workflowId)).toMatchObject({ status: 'completed' });
  await trying.good('DELETE', `/v1/connections/${id}`);
  expect((await run(live, workflowId)).error).toMatchObject({ code: 'CONNECTION_MISSING' });
});

test('both environments use one grant of a provider, which is renewed once', async () => {
  const connections = oauthConnections(posthorn, provider, receiver.url.slice(0, -1));
  const id = await connections.authorized();
  await live.good('PATCH', `/v1/connections/${id}`, { shared: true });
  await connections.expire(id);
  const granted = provider.granted.length;
  const step = asking(id, 'http-oauth');
  const ids = await Promise.all([live, trying].map((calls) => calls.activate({ type: 'manual' }, [step])));
  const runs = await Promise.all([run(live, ids[0] ?? ''), run(trying, ids[1] ?? '')]);
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(provider.granted.slice(granted)).toEqual(['refresh_token']);
});
