import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConnectorAction } from '../../src/automations/engine/actions/connector-action.ts';
import { justWait } from '../../src/crashes/crash-guard.ts';
import type { Loaded } from '../../src/automations/engine/context.ts';
import { CONNECTORS } from '../../src/automations/connectors/catalogue/catalogue.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import { createRequestSender, type RequestSender } from '../../src/outbound/send-request.ts';
import { BUSINESS_VECTORS } from './connector-vectors/business.ts';
import { MESSAGE_VECTORS } from './connector-vectors/messages.ts';
import { KEY, type Vector } from './connector-vectors/vector.ts';
import { TOKEN_VECTORS } from './connector-vectors/with-tokens.ts';
import { WORK_VECTORS } from './connector-vectors/work.ts';

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
 * Asks an operation with these parameters. The request goes to the server of this file, with its own host as the first part of the path.
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
  // Long: a machine that stands still for some seconds is no fault of the request.
  const step = { id: 'ask', type: 'action', action: 'connector', timeoutMs: 60_000, ...asked };
  // `as`: all that the action reads.
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
  ['linear', 'comment-issue', { issueId: 'i', body: 'x' }, { data: null, errors: [{ message: 'No such' }] }, 'No such'],
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
])('a parameter of %s that would climb in the path is refused, and nothing is sent', async (id, operation, params) => {
  seen = [];
  await expect(ask(id, operation, params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  expect(seen).toEqual([]);
});

test('a parameter stays one part of the path, whatever it holds', async () => {
  seen = [];
  await ask('github', 'comment-issue', { owner: 'a/../b?c#d', repo: 'x', number: 1, body: 'x' });
  expect(seen[0]?.path).toBe('/api.github.com/repos/a%2F..%2Fb%3Fc%23d/x/issues/1/comments');
});

test('a parameter that does not fit fails the step with its field', async () => {
  seen = [];
  await expect(
    ask('github', 'comment-issue', { owner: 'a', repo: 'x', number: 'one', body: 'x' }),
  ).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringMatching(/^params\.number: must be/),
  });
  expect(seen).toEqual([]);
});
