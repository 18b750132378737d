import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CONNECTORS } from '../../src/automations/connectors/catalogue/catalogue.ts';
import { createLog } from '../../src/log.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { historyTextOf } from '../support/make/history-of.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { findFreePort } from '../../local/ports.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';

type Summary = { id: string; name: string; category: string; icon: string; authType: string; status: string };
type Connection = { id: string; connectorId: string; name: string; lastUsedAt?: string };
type Tested = { ok: boolean; status?: number; message: string };
type Refused = { error: { code: string; message: string; details?: { field: string; reason: string } } };

/** Credentials begin so: found anywhere, it is one too many. */
const WORD = 'hush-0815';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let answer: (request: ReceivedRequest) => Answer = () => 200;
const logged: string[] = [];
const json =
  (status: number, value: unknown): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

beforeAll(async () => {
  const log = createLog('trace', { destination: { write: (line) => void logged.push(line) } });
  posthorn = await startPosthorn({ log });
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({ answer: (request) => answer(request) });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const crm = (more: object = {}): Promise<Connection> =>
  calls.good('POST', '/v1/connections', {
    connectorId: 'http',
    name: 'CRM',
    credentials: { baseUrl: receiver.url.slice(0, -1), value: `Bearer ${WORD}`, ...more },
  });
const asking = (config: object) => [
  { id: 'ask', type: 'action', config: { action: 'connector', retryPolicy: { maxRetries: 0 }, ...config } },
];
const activate = (config: object): Promise<string> => calls.activate({ type: 'manual' }, asking(config));
const run = async (workflowId: string, payload: unknown = {}) =>
  calls.ended((await calls.start(workflowId, payload)).id);
const errorsOf = async (config: object) => {
  const body = { name: 'asking', trigger: { type: 'manual' }, steps: asking(config) };
  return (await calls.good<{ errors: unknown[] }>('POST', '/v1/workflows/validate', body)).errors;
};

test('the catalogue is listed by name in pages, by category and by words, and each connector has an icon of ours', async () => {
  const all: Summary[] = [];
  for (let cursor = ''; ; ) {
    const page = await calls.good<{ data: Summary[]; pagination: { cursor?: string } }>(
      'GET',
      `/v1/connectors?limit=10&cursor=${cursor}`,
    );
    all.push(...page.data);
    if (page.pagination.cursor === undefined) break;
    ({ cursor } = page.pagination);
  }
  expect(all.map(({ id }) => id)).toEqual(CONNECTORS.map(({ id }) => id));
  expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)));
  for (const { icon, status } of all) {
    expect(status).toBe('available');
    const shown = await fetch(posthorn.url + icon);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(await shown.text()).toMatch(/^<svg [^<]*<rect [^<]*<text [^<]*<\/text><\/svg>$/);
  }
  const idsOf = async (query: string) =>
    (await calls.good<{ data: Summary[] }>('GET', `/v1/connectors?${query}`)).data.map(({ id }) => id);
  expect(await idsOf('category=email')).toEqual(['mailgun', 'postmark', 'resend', 'sendgrid']);
  expect(await idsOf('search=SLACK')).toEqual(['slack']);
  expect(await idsOf('search=pipelines')).toEqual(['gitlab']);
  expect(await idsOf('search=xyzzy')).toEqual([]);
  expect((await posthorn.request('GET', '/v1/connectors?category=other')).status).toBe(400);
  expect((await posthorn.request('GET', '/v1/connectors/none')).status).toBe(404);
});

test('a connector shows the schemas of its parameters and credentials, with what is hidden', async () => {
  const { operations, credentials } = await calls.good<{
    operations: { id: string; input: Record<string, unknown> }[];
    credentials: unknown;
  }>('GET', '/v1/connectors/slack');
  expect(credentials).toMatchObject({
    type: 'object',
    properties: { token: { type: 'string', writeOnly: true } },
    required: ['token'],
    additionalProperties: false,
  });
  expect(operations[0]).toMatchObject({ id: 'post-message', input: { required: ['channel', 'text'] } });
  const discord = await calls.good<{ operations: typeof operations; credentials?: unknown }>(
    'GET',
    '/v1/connectors/discord',
  );
  expect(discord.credentials).toBeUndefined();
  expect(discord.operations[0]).toMatchObject({ input: { properties: { webhookUrl: { writeOnly: true } } } });
});

test('a step asks a service with the credentials of a connection, which are in no row, history or log', async () => {
  const connection = await crm();
  answer = ({ headers, path }) => json(200, { deal: 7, by: headers.authorization, path });
  const workflowId = await activate({
    connectorId: 'http',
    operation: 'post',
    connectionId: connection.id,
    params: { path: '/deals', query: { ref: '{{ event.payload.ref }}' }, body: { total: '{{ event.payload.total }}' } },
  });
  const before = receiver.requests.length;
  const ended = await run(workflowId, { ref: 'A-17', total: 19.5 });
  expect([ended.status, ended.error]).toEqual(['completed', undefined]);
  const [request, ...more] = receiver.requests.slice(before);
  expect(more).toEqual([]);
  expect(request?.path).toBe('/deals?ref=A-17');
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${WORD}`,
    'idempotency-key': `${ended.id}:ask:`,
    'content-type': expect.stringMatching(/^application\/json/),
  });
  expect(JSON.parse(request?.body ?? '')).toEqual({ total: 19.5 });
  expect(stepOf(ended, 'ask')).toMatchObject({
    input: {
      connectorId: 'http',
      operation: 'post',
      connectionId: connection.id,
      params: { path: '/deals', query: { ref: 'A-17' }, body: { total: 19.5 } },
    },
    output: { status: 200, body: { deal: 7, by: '[secret connection.value]', path: '/deals?ref=A-17' } },
  });
  const history = await historyTextOf(posthorn, `run/${ended.id}/1`);
  expect(history).toContain(`"runId":"${ended.id}"`);
  expect(history).not.toContain(WORD);
  expect(await tablesThatHold(posthorn.deps.pool, WORD)).toEqual([]);
  expect(logged.join('\n')).not.toContain(WORD);
  expect((await calls.good<Connection>('GET', `/v1/connections/${connection.id}`)).lastUsedAt).toBeDefined();

  // Whatever a message says, it leads to no other host.
  const climbing = await activate({
    connectorId: 'http',
    operation: 'get',
    connectionId: connection.id,
    params: { path: '{{ event.payload.path }}' },
  });
  const { error } = await run(climbing, { path: '@attacker.example/' });
  expect(error).toMatchObject({ code: 'INVALID_PARAMS', message: 'params.path: must begin with one /' });
  // Nor out of the base address: `..` in a path led to the other resources of the host, with the credentials.
  const sent = receiver.requests.length;
  for (const path of ['/deals/../admin', '/..', '/a/%2E%2e/admin?x=1', '/a\\..\\admin', '/a/.\t./admin'])
    expect((await run(climbing, { path })).error).toMatchObject({
      code: 'INVALID_PARAMS',
      message: 'params.path: must not have . or .. as a part',
    });
  expect(receiver.requests.length).toBe(sent);
  expect((await run(climbing, { path: '/deals/..7/a..b?of=/../' })).status).toBe('completed');
});

test('new credentials are used by the next attempt, and a connection that is gone or unreadable fails the step', async () => {
  const connection = await crm();
  const config = { connectorId: 'http', operation: 'get', connectionId: connection.id, params: { path: '/' } };
  const workflowId = await activate(config);
  answer = () => json(401, { no: `Bearer ${WORD}-2` });
  const credentials = { baseUrl: receiver.url.slice(0, -1), header: 'X-Key', value: `Bearer ${WORD}-2` };
  await calls.good('PATCH', `/v1/connections/${connection.id}`, { credentials });
  const refused = await run(workflowId);
  expect(receiver.requests.at(-1)?.headers['x-key']).toBe(`Bearer ${WORD}-2`);
  expect(refused.error?.code).toBe('HTTP_401');
  expect(refused.error?.message).toContain('[secret connection.value]');
  const { pool } = posthorn.deps;
  await pool.query(
    `UPDATE connections SET ciphertext = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA' WHERE id = $1`,
    [connection.id],
  );
  expect((await run(workflowId)).error?.code).toBe('CONNECTION_UNREADABLE');
  expect((await posthorn.request('POST', `/v1/connections/${connection.id}/test`)).status).toBe(409);
  await calls.good('DELETE', `/v1/connections/${connection.id}`);
  expect((await run(workflowId)).error?.code).toBe('CONNECTION_MISSING');
});

test('a hidden parameter takes a secret, which is an address here and shown nowhere', async () => {
  await calls.good('POST', '/v1/secrets', { name: 'CHANNEL', value: `${receiver.url}${WORD}` });
  answer = ({ path }) => json(200, { path });
  const workflowId = await activate({
    connectorId: 'discord',
    operation: 'post-message',
    params: { webhookUrl: '{{ secrets.CHANNEL }}', content: 'Order {{ event.payload.id }}' },
  });
  const ended = await run(workflowId, { id: '{{ secrets.CHANNEL }}' });
  expect(receiver.requests.at(-1)).toMatchObject({
    path: `/${WORD}?wait=true`,
    body: JSON.stringify({ content: 'Order {{ secrets.CHANNEL }}' }),
  });
  expect(stepOf(ended, 'ask').input).toMatchObject({ params: { webhookUrl: '[secret CHANNEL]' } });
  expect(await tablesThatHold(posthorn.deps.pool, `${receiver.url}${WORD}`)).toEqual([]);
});

test('a definition asks for what the catalogue has, with a connection of its environment and parameters that fit', async () => {
  const { id } = await crm();
  const elsewhere = await posthorn.request<Connection>(
    'POST',
    '/v1/connections',
    { connectorId: 'http', name: 'x', credentials: { baseUrl: 'https://a.example', value: 'x' } },
    { key: posthorn.keys.test },
  );
  const at = 'steps[0].config';
  const good = { connectorId: 'http', operation: 'get', connectionId: id, params: { path: '/x' } };
  expect(await errorsOf(good)).toEqual([]);
  expect(
    await errorsOf({ ...good, params: { path: '{{ event.payload.path }}', query: { a: '{{ index }}' } } }),
  ).toEqual([]);
  const [connector] = await errorsOf({ ...good, connectorId: 'slak' });
  expect(connector).toMatchObject({
    field: `${at}.connectorId`,
    reason: expect.stringMatching(/^unknown connector "slak"; allowed: airtable, .*; did you mean slack\?$/),
  });
  const [operation] = await errorsOf({ ...good, operation: 'gets' });
  expect(operation).toMatchObject({ field: `${at}.operation`, reason: expect.stringContaining('did you mean get?') });
  const refused = (field: string, reason: string) => [{ field: `${at}.${field}`, reason }];
  expect(await errorsOf({ ...good, params: {} })).toEqual(refused('params.path', 'is required'));
  expect(await errorsOf({ ...good, params: { path: 'x' } })).toEqual(refused('params.path', 'must begin with one /'));
  expect(await errorsOf({ ...good, params: { path: '/x', qeury: {} } })).toEqual([
    { field: `${at}.params.qeury`, reason: expect.stringContaining('did you mean query?') },
  ]);
  const { connectionId: _, ...without } = good;
  expect(await errorsOf(without)).toEqual(refused('connectionId', 'is required'));
  const missing = refused('connectionId', 'no such connection in this environment');
  expect(await errorsOf({ ...good, connectionId: elsewhere.body.id })).toEqual(missing);
  expect(await errorsOf({ ...good, connectionId: 'other' })).toEqual(missing);
  const slack = { connectorId: 'slack', operation: 'post-message', params: { channel: 'C', text: 'x' } };
  expect(await errorsOf({ ...slack, connectionId: id })).toEqual(
    refused('connectionId', 'is a connection of http, not of slack'),
  );
  const discord = {
    connectorId: 'discord',
    operation: 'post-message',
    params: { webhookUrl: 'https://a.b/c', content: 'x' },
  };
  expect(await errorsOf({ ...discord, connectionId: id })).toEqual(
    refused('connectionId', 'must be left out: Discord needs no connection'),
  );
  expect(await errorsOf({ ...discord, params: { ...discord.params, content: '{{ secrets.NONE }}' } })).toEqual([
    { field: `${at}.params.content`, reason: expect.stringMatching(/^secrets may stand in/) },
  ]);
  expect(await errorsOf({ ...discord, params: { ...discord.params, webhookUrl: '{{ secrets.NONE }}' } })).toEqual(
    refused('params.webhookUrl', 'references unknown secret "NONE"'),
  );
});

test('a connection is refused with the field that does not fit its connector', async () => {
  for (const [field, connectorId, credentials] of [
    ['connectorId', 'nothing', {}],
    ['connectorId', 'discord', {}],
    ['credentials.token', 'slack', {}],
    ['credentials.tokn', 'slack', { token: 'x', tokn: 'x' }],
    ['credentials.site', 'jira', { site: 'evil.example/', email: 'a', apiToken: 'x' }],
    ['credentials.baseUrl', 'http', { baseUrl: 'https://a.example/?x', value: 'x' }],
    ['credentials.baseUrl', 'http', { baseUrl: 'https://a.example/v2/..', value: 'x' }],
    ['credentials.baseUrl', 'http', { baseUrl: 'https://a.example/v2/%2E%2e/x', value: 'x' }],
  ] as const) {
    const { status, body } = await posthorn.request<Refused>('POST', '/v1/connections', {
      connectorId,
      name: 'x',
      credentials,
    });
    expect([status, body.error.details?.field]).toEqual([400, field]);
  }
  const { id } = await crm();
  const wrong = await posthorn.request<Refused>('PATCH', `/v1/connections/${id}`, { credentials: { value: 'x' } });
  expect([wrong.status, wrong.body.error.details?.field]).toEqual([400, 'credentials.baseUrl']);
});

test('a test says whether the service takes the credentials, and nothing else of its answer', async () => {
  const { id } = await crm();
  const tested = (): Promise<Tested> => calls.good('POST', `/v1/connections/${id}/test`);
  answer = () => json(200, {});
  expect(await tested()).toEqual({ ok: true, status: 200, message: 'HTTP takes the credentials' });
  answer = () => json(401, { error: WORD });
  expect(await tested()).toEqual({ ok: false, status: 401, message: 'HTTP answered 401' });
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  await calls.good('PATCH', `/v1/connections/${id}`, { credentials: { baseUrl: nobody, value: 'x' } });
  expect(await tested()).toMatchObject({ ok: false, message: expect.stringMatching(/^HTTP gave no answer: /) });
  const alerts = { connectorId: 'pagerduty', name: 'alerts', credentials: { routingKey: 'x' } };
  const untestable = await calls.good<Connection>('POST', '/v1/connections', alerts);
  expect((await posthorn.request('POST', `/v1/connections/${untestable.id}/test`)).status).toBe(409);
});
