import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: true });
  calls = workflowCalls(posthorn);
  receiver = await startReceiver();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const to = (path: string): string => new URL('/', receiver.url).href + path;
const http = (id: string, config: object): Step => ({
  id,
  type: 'action',
  config: { action: 'http', retryPolicy: { maxRetries: 0 }, onError: 'continue', ...config },
});
const auth = { type: 'bearer', token: 'a token' };
const manual = { type: 'manual' };

// The value was put into the address as it is: a message with `7/refund?all=true` chose path and parameters of a request with a token.
test('a message changes neither path, parameters nor host of a request that carries credentials', async () => {
  const workflowId = await calls.activate(manual, [
    { ...http('path', { url: `${to('orders/')}{{ event.payload.id }}/close`, auth }), next: 'query' },
    { ...http('query', { url: `${to('search?q=')}{{ event.payload.id }}&limit=1`, auth }), next: 'step' },
    { ...http('step', { url: `${to('orders/')}{{ event.payload.up }}`, auth }), next: 'none' },
    { ...http('none', { url: `${to('orders/')}{{ event.payload.none }}`, auth }), next: null },
  ]);
  const { id } = await calls.start(workflowId, { id: '7/refund?limit=9&all=true#', up: '..', none: null });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  const coded = '7%2Frefund%3Flimit%3D9%26all%3Dtrue%23';
  expect(receiver.requests.map(({ path }) => path)).toEqual([`/orders/${coded}/close`, `/search?q=${coded}&limit=1`]);
  for (const step of ['step', 'none'])
    expect(stepOf(run, step).error).toEqual({
      code: 'EXPRESSION',
      message: 'a value is empty, . or .. where a part of the path stands',
    });
});

test('a definition that lets a message choose the host of credentials is refused, and one from before does not send', async () => {
  const url = '{{ event.payload.url }}';
  const steps = [http('there', { url, auth })];
  const refused = await posthorn.request<{ error: { details: object } }>('POST', '/v1/workflows', {
    name: 'there',
    trigger: manual,
    steps,
  });
  expect([refused.status, refused.body.error.details]).toMatchObject([400, { field: 'steps[0].config.url' }]);
  const { errors } = await calls.good<{ errors: object[] }>('POST', '/v1/workflows/validate', {
    name: 'there',
    trigger: manual,
    steps,
  });
  expect(errors).toMatchObject([{ field: 'steps[0].config.url' }]);

  const workflowId = await calls.activate(manual, [http('there', { url })]);
  const sentBefore = receiver.requests.length;
  const open = await calls.ended((await calls.start(workflowId, { url: to('open') })).id);
  expect(stepOf(open, 'there').status).toBe('completed');
  expect(receiver.requests.slice(sentBefore).map(({ path }) => path)).toEqual(['/open']);

  await posthorn.deps.pool.query(`UPDATE workflow_versions SET steps = $1 WHERE workflow_id = $2`, [
    JSON.stringify(steps),
    workflowId,
  ]);
  const other = await calls.activate(manual, [http('there', { url: to('x'), headers: {} })]);
  await posthorn.deps.pool.query(`UPDATE workflow_versions SET steps = $1 WHERE workflow_id = $2`, [
    JSON.stringify([http('there', { url: to('old'), headers: { Host: 'evil.example', 'X-A': 'a' } })]),
    other,
  ]);
  await posthorn.worker.stop();
  await posthorn.worker.start();
  const closed = await calls.ended((await calls.start(workflowId, { url: to('stolen') })).id);
  expect(stepOf(closed, 'there').error).toMatchObject({
    code: 'EXPRESSION',
    message: expect.stringMatching(/^url: must have scheme, host and port written out/),
  });
  expect(receiver.requests.filter(({ path }) => path === '/stolen')).toEqual([]);

  // A header that is never sent is not recorded as if it were.
  const old = await calls.ended((await calls.start(other)).id);
  expect(stepOf(old, 'there')).toMatchObject({ status: 'completed', input: { headers: { 'x-a': 'a' } } });
  expect(stepOf(old, 'there').input).not.toHaveProperty('headers.host');
});

test('a header with a line break of a message fails its step at once, and is not sent', async () => {
  const sentBefore = receiver.requests.length;
  const workflowId = await calls.activate(manual, [
    http('note', { url: to('note'), headers: { 'X-Note': '{{ event.payload.note }}' } }),
  ]);
  const run = await calls.ended((await calls.start(workflowId, { note: 'a\r\nX-Admin: true' })).id);
  expect(stepOf(run, 'note').error).toEqual({
    code: 'EXPRESSION',
    message: 'headers.x-note: holds a line break or another character that no header can have',
  });
  expect(receiver.requests).toHaveLength(sentBefore);
});

// The value was a part of the path as it is: a message chose parameters and further parts of it.
test('a value inside the path of the connector http stays one part of it, and one template alone is the whole path', async () => {
  const connection = await calls.good<{ id: string }>('POST', '/v1/connections', {
    connectorId: 'http',
    name: 'CRM',
    credentials: { baseUrl: to('crm'), value: 'a key' },
  });
  const get = (id: string, path: string, next: string | null): Step => ({
    id,
    type: 'action',
    config: {
      action: 'connector',
      connectorId: 'http',
      operation: 'get',
      connectionId: connection.id,
      params: { path },
      onError: 'continue',
    },
    next,
  });
  const workflowId = await calls.activate(manual, [
    get('part', '/deals/{{ event.payload.id }}/lines', 'step'),
    get('step', '/deals/{{ event.payload.up }}', 'whole'),
    get('whole', '{{ event.payload.path }}', null),
  ]);
  const sentBefore = receiver.requests.length;
  const payload = { id: '7/refund?all=true', up: '..', path: '/deals/8?full=1' };
  const run = await calls.ended((await calls.start(workflowId, payload)).id);
  expect(receiver.requests.slice(sentBefore).map(({ path }) => path)).toEqual([
    '/crm/deals/7%2Frefund%3Fall%3Dtrue/lines',
    '/crm/deals/8?full=1',
  ]);
  expect(stepOf(run, 'step').error?.code).toBe('EXPRESSION');
});

test.each(['Host', 'content-length', 'User-Agent'])(
  'a connection with the key in %s, which is never sent, is refused',
  async (header) => {
    const { status, body } = await posthorn.request<{ error: { details: { field: string } } }>(
      'POST',
      '/v1/connections',
      {
        connectorId: 'http',
        name: 'CRM',
        credentials: { baseUrl: to('crm'), header, value: 'a key' },
      },
    );
    expect([status, body.error.details.field]).toEqual([400, 'credentials.header']);
  },
);

test.each([
  ['tokenUrl', 'http://10.0.0.1/token', 'must not be a private, local or reserved address'],
  ['baseUrl', 'http://169.254.169.254/latest', 'must not be a private, local or reserved address'],
  ['tokenUrl', 'https://id.example.com:5432/token', 'port'],
])('a connection with the %s %s is refused, new or changed', async (field, address, reason) => {
  const credentials = {
    baseUrl: to('crm'),
    authorizationUrl: 'https://id.example.com/authorize',
    tokenUrl: 'https://id.example.com/token',
    clientId: 'posthorn',
    clientSecret: 'a secret',
  };
  const good = { connectorId: 'http-oauth', name: 'CRM', credentials };
  const { id } = await calls.good<{ id: string }>('POST', '/v1/connections', good);
  const bad = { ...credentials, [field]: address };
  for (const answer of [
    await posthorn.request('POST', '/v1/connections', { ...good, credentials: bad }),
    await posthorn.request('PATCH', `/v1/connections/${id}`, { credentials: bad }),
  ])
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { field: `credentials.${field}`, reason: expect.stringContaining(reason) } } },
    });
});
