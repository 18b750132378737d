import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { CONNECTORS } from '../../src/automations/connectors/catalogue/catalogue.ts';
import { createConnectorAction } from '../../src/automations/engine/actions/connector-action.ts';
import type { Loaded } from '../../src/automations/engine/context.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { justWait } from '../../src/platform/crashes/crash-guard.ts';
import { createLog } from '../../src/platform/log.ts';
import { createAddressGuard } from '../../src/platform/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../src/platform/outbound/guard/own-addresses.ts';
import { createRequestSender, type RequestSender } from '../../src/platform/outbound/send-request.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { historyTextOf } from '../support/make/history-of.ts';
import { oauthConnections } from '../support/make/oauth-connections.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';
import { startTokenProvider, type TokenProvider } from '../support/world/token-provider.ts';
import { BUSINESS_VECTORS } from './connector-vectors/business.ts';
import { MESSAGE_VECTORS } from './connector-vectors/messages.ts';
import { KEY, type Vector } from './connector-vectors/vector.ts';
import { TOKEN_VECTORS } from './connector-vectors/with-tokens.ts';
import { WORK_VECTORS } from './connector-vectors/work.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('connectors', () => {
  type Summary = { id: string; name: string; category: string; icon: string; authType: string; status: string };
  type Connection = { id: string; connectorId: string; name: string; lastUsedAt?: string };
  type Tested = { ok: boolean; status?: number; message: string };
  type Refused = { error: { code: string; message: string; details?: { field: string; reason: string } } };

  /** Prefix of all credentials: it must not be found anywhere. */
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

  test('the catalogue is listed by name in pages, by category and by words, and each connector has an icon of its own', async () => {
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

  test('a step calls a service with the credentials of a connection, which are in no row, history or log', async () => {
    const connection = await crm();
    answer = ({ headers, path }) => json(200, { deal: 7, by: headers.authorization, path });
    const workflowId = await activate({
      connectorId: 'http',
      operation: 'post',
      connectionId: connection.id,
      params: {
        path: '/deals',
        query: { ref: '{{ event.payload.ref }}' },
        body: { total: '{{ event.payload.total }}' },
      },
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

    // Whatever a message contains, the request goes to the same host.
    const climbing = await activate({
      connectorId: 'http',
      operation: 'get',
      connectionId: connection.id,
      params: { path: '{{ event.payload.path }}' },
    });
    const { error } = await run(climbing, { path: '@attacker.example/' });
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', message: 'params.path: must begin with one /' });
    // Nor outside the base address: `..` in a path used to reach other resources of the host, with the credentials.
    const sent = receiver.requests.length;
    for (const path of ['/deals/../admin', '/..', '/a/%2E%2e/admin?x=1', '/a\\..\\admin', '/a/.\t./admin'])
      expect((await run(climbing, { path })).error).toMatchObject({
        code: 'INVALID_PARAMS',
        message: 'params.path: must not have . or .. as a path segment',
      });
    expect(receiver.requests.length).toBe(sent);
    expect((await run(climbing, { path: '/deals/..7/a..b?of=/../' })).status).toBe('completed');
  });

  test('new credentials are used by the next attempt, and a connection that is deleted or cannot be decrypted fails the step', async () => {
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

  test('a hidden parameter accepts a secret, which is an address here and shown nowhere', async () => {
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

  test('a definition must name operations of the catalogue, a connection of its environment and valid parameters', async () => {
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
    const missing = refused('connectionId', 'must be the id of a connection in this environment');
    expect(await errorsOf({ ...good, connectionId: elsewhere.body.id })).toEqual(missing);
    expect(await errorsOf({ ...good, connectionId: 'other' })).toEqual(missing);
    const slack = { connectorId: 'slack', operation: 'post-message', params: { channel: 'C', text: 'x' } };
    expect(await errorsOf({ ...slack, connectionId: id })).toEqual(
      refused('connectionId', 'must be a connection for slack, not for http'),
    );
    const discord = {
      connectorId: 'discord',
      operation: 'post-message',
      params: { webhookUrl: 'https://a.b/c', content: 'x' },
    };
    expect(await errorsOf({ ...discord, connectionId: id })).toEqual(
      refused('connectionId', 'must be left out because Discord does not need a connection'),
    );
    expect(await errorsOf({ ...discord, params: { ...discord.params, content: '{{ secrets.NONE }}' } })).toEqual([
      { field: `${at}.params.content`, reason: expect.stringMatching(/^secrets must only be used in/) },
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

  test('a connection test says whether the service accepts the credentials, and nothing else of its response', async () => {
    const { id } = await crm();
    const tested = (): Promise<Tested> => calls.good('POST', `/v1/connections/${id}/test`);
    answer = () => json(200, {});
    expect(await tested()).toEqual({ ok: true, status: 200, message: 'HTTP accepts the credentials' });
    answer = () => json(401, { error: WORD });
    expect(await tested()).toEqual({ ok: false, status: 401, message: 'HTTP responded with 401' });
    const nobody = `http://127.0.0.1:${await findFreePort()}`;
    await calls.good('PATCH', `/v1/connections/${id}`, { credentials: { baseUrl: nobody, value: 'x' } });
    expect(await tested()).toMatchObject({ ok: false, message: expect.stringMatching(/^HTTP did not respond: /) });
    const alerts = { connectorId: 'pagerduty', name: 'alerts', credentials: { routingKey: 'x' } };
    const untestable = await calls.good<Connection>('POST', '/v1/connections', alerts);
    expect((await posthorn.request('POST', `/v1/connections/${untestable.id}/test`)).status).toBe(409);
  });
});

describe('connector requests', () => {
  const VECTORS = { ...MESSAGE_VECTORS, ...WORK_VECTORS, ...BUSINESS_VECTORS, ...TOKEN_VECTORS };

  type Seen = { method: string | undefined; path: string | undefined; headers: IncomingHttpHeaders; body: string };

  let sender: RequestSender;
  let url: string;
  let seen: Seen[] = [];
  let answer: { status: number; body: unknown } = { status: 200, body: { ok: true } };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // `as`: a server on a port has such an address.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const guard = createAddressGuard({
      allowCidrs: ['127.0.0.0/8'],
      allowHttp: true,
      own: createOwnAddresses([]),
    });
    sender = createRequestSender({ guard, version: '0', clock: () => new Date() });
  });
  afterAll(async () => {
    await sender.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /**
   * Calls an operation with these parameters. The request goes to the server of this file, with its real host as the first part of the
   * path.
   */
  async function ask(connectorId: string, operation: string, params: Record<string, unknown>): Promise<unknown> {
    const { credentials } = VECTORS[connectorId] ?? {};
    const action = createConnectorAction({
      sender: { send: (request) => sender.send({ ...request, url: request.url.replace(/^https:\/\//, url) }) },
      expressions: createStepExpressions(),
      openSecrets: () => Promise.resolve(new Map()),
      openConnection: () => {
        const connector = CONNECTORS.find(({ id }) => id === connectorId);
        const fields = connector?.auth.type === 'none' ? undefined : connector?.auth.credentials;
        const token = connector?.auth.type === 'oauth2' ? { accessToken: 'at-1' } : {};
        return Promise.resolve({ connectorId, credentials: { ...fields?.parse(credentials), ...token } });
      },
    });
    const asked = { connectorId, operation, params, ...(credentials && { connectionId: 'cxn_1' }) };
    // Long, because a machine that stalls for some seconds must not fail the request.
    const step = { id: 'ask', type: 'action', action: 'connector', timeoutMs: 60_000, ...asked };
    // `as`: the parts that the action reads.
    const loaded = { step, run: { environmentId: 'env_1' }, context: {} } as unknown as Loaded;
    const prepared: unknown = JSON.parse(JSON.stringify(action.prepare(loaded)));
    expect(prepared).toEqual({ ...asked });
    return action.perform(prepared, loaded, KEY, justWait);
  }

  test('every operation of the catalogue has a vector', () => {
    const operations = CONNECTORS.map(({ id, operations: own }) => [id, own.map((each) => each.id)] as const);
    expect(Object.entries(VECTORS).map(([id, each]) => [id, Object.keys(each.operations)])).toEqual(
      expect.arrayContaining(operations.map((each) => [...each])),
    );
    expect(Object.keys(VECTORS)).toHaveLength(CONNECTORS.length);
    expect(CONNECTORS.length).toBeGreaterThanOrEqual(20);
  });

  describe.each(Object.entries(VECTORS))('%s', (connectorId, { headers = {}, operations }) => {
    test.each(Object.entries(operations))('sends %s as its service documents it', async (operation, vector: Vector) => {
      seen = [];
      expect(await ask(connectorId, operation, vector.params)).toMatchObject({ status: 200, body: { ok: true } });
      const [request, ...more] = seen;
      expect(more).toEqual([]);
      expect([request?.method, request?.path?.slice(1)]).toEqual([vector.method, vector.to]);
      expect(request?.headers).toMatchObject({ ...headers, ...vector.headers });
      const type = request?.headers['content-type'];
      if (vector.json !== undefined) {
        expect(type).toMatch(/^application\/json/);
        expect(JSON.parse(request?.body ?? '')).toEqual(vector.json);
      } else if (vector.form !== undefined) {
        expect(type).toBe('application/x-www-form-urlencoded');
        expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual(vector.form);
      } else expect([type, request?.body]).toEqual([undefined, '']);
      const hasKey = vector.headers?.['idempotency-key'] !== undefined;
      expect(request?.headers['idempotency-key'] !== undefined).toBe(hasKey);
    });
  });

  test.each([
    [
      'slack',
      'post-message',
      { channel: 'C1', text: 'x' },
      { ok: false, error: 'channel_not_found' },
      'channel_not_found',
    ],
    [
      'linear',
      'comment-issue',
      { issueId: 'i', body: 'x' },
      { data: null, errors: [{ message: 'No such' }] },
      'No such',
    ],
  ])('%s that refuses with the status 200 fails the step', async (connectorId, operation, params, body, reason) => {
    answer = { status: 200, body };
    await expect(ask(connectorId, operation, params)).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining(reason),
    });
    answer = { status: 200, body: { ok: true } };
  });

  test.each([
    ['github', 'comment-issue', { owner: '..', repo: 'x', number: 1, body: 'x' }],
    ['airtable', 'find-records', { baseId: 'app1', table: '.' }],
    ...[
      '/../x',
      '/a/..',
      '/%2e%2E/x',
      '/./x',
      '/.\t./x',
      '/a\\..\\..',
      '/..?x=1',
      '/..#x',
      '/..%2fx',
      '/a/..%2F..%2fx',
      '/a%2f..',
      '/..%5cx',
      '/..;/x',
      '/%2e.%3bv=1',
    ].map((path): [string, string, Record<string, unknown>] => ['http', 'get', { path }]),
  ])(
    'a parameter of %s that would climb in the path is refused, and nothing is sent',
    async (id, operation, params) => {
      seen = [];
      await expect(ask(id, operation, params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      expect(seen).toEqual([]);
    },
  );

  test('a parameter stays one part of the path, whatever it contains', async () => {
    seen = [];
    await ask('github', 'comment-issue', { owner: 'a/../b?c#d', repo: 'x', number: 1, body: 'x' });
    expect(seen[0]?.path).toBe('/api.github.com/repos/a%2F..%2Fb%3Fc%23d/x/issues/1/comments');
  });

  test('an invalid parameter fails the step with its field', async () => {
    seen = [];
    await expect(
      ask('github', 'comment-issue', { owner: 'a', repo: 'x', number: 'one', body: 'x' }),
    ).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringMatching(/^params\.number: must be/),
    });
    expect(seen).toEqual([]);
  });
});

describe('connection health', () => {
  type Connection = { id: string; name: string; lastTest?: { at: string; ok: boolean; message: string } };
  type Tested = { ok: boolean; status?: number; message: string };

  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  let status = 200;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({ answer: () => status });
  });
  afterAll(async () => {
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

  test('a connection shows the last test of its current credentials', async () => {
    const { id, ...made } = await connect('CRM');
    expect(made.lastTest).toBeUndefined();
    status = 401;
    const { message } = await tested(id);
    expect((await shown(id)).lastTest).toEqual({ at: expect.any(String), ok: false, message });
    status = 200;
    await tested(id);
    const { lastTest } = await shown(id);
    expect(lastTest).toEqual({ at: expect.any(String), ok: true, message: 'HTTP accepts the credentials' });
    const { data } = await calls.good<{ data: Connection[] }>('GET', '/v1/connections');
    expect(data.find((each) => each.id === id)?.lastTest).toEqual(lastTest);

    // The other environment tests it, which changes nothing.
    status = 401;
    const other = await posthorn.request<Tested>('POST', `/v1/connections/${id}/test`, undefined, {
      key: posthorn.keys.test,
    });
    expect(other.body.ok).toBe(false);
    expect((await shown(id)).lastTest).toEqual(lastTest);
    // Another name keeps the credentials, and other credentials were never tested.
    expect((await calls.good<Connection>('PATCH', `/v1/connections/${id}`, { name: 'CRM 2' })).lastTest).toEqual(
      lastTest,
    );
    const changed = { credentials: credentials('Bearer another') };
    expect((await calls.good<Connection>('PATCH', `/v1/connections/${id}`, changed)).lastTest).toBeUndefined();
  });

  test('workflows can be filtered by a connection that their current steps name', async () => {
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
});

describe('shared connections', () => {
  type Connection = { id: string; environment: string; shared: boolean };

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
    live = workflowCalls(posthorn);
    trying = callsWith(posthorn.keys.test);
    receiver = await startReceiver({});
  });
  afterAll(async () => {
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
  const noSuch = [
    { field: 'steps[0].config.connectionId', reason: 'must be the id of a connection in this environment' },
  ];

  test('a connection belongs to its environment alone until it is shared, and again once sharing ends', async () => {
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

  test('the other environment cannot change, authorize or delete a shared connection', async () => {
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

  test('no other app of the organisation sees a shared connection', async () => {
    const { id } = await crm({ shared: true });
    const { deps, services } = posthorn;
    const { organisationId } = await deps.db.app.findFirstOrThrow();
    const { id: appId } = await services.apps.operator.create({ name: 'Other' }, organisationId);
    const { id: environmentId } = await deps.db.environment.findFirstOrThrow({ where: { appId, kind: 'live' } });
    const { key } = await services.apiKeys.operator.create({
      environment: 'test',
      appId,
      name: 'x',
      tier: 'enterprise',
    });
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

  test('PostgreSQL shows the other environment what is shared, and refuses its writes', async () => {
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
    await expect(tenants.onConnection(tenant, (connection) => connection.query(insert, [owner]))).rejects.toMatchObject(
      {
        code: '42501',
      },
    );
  });

  test('live can use a connection that the test environment shares until it is deleted', async () => {
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

  test('both environments use one grant of a provider, which is refreshed once', async () => {
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
});
