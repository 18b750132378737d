import { WORDS } from '../support/make/row-words.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type AnyRequest, type Route, routesOf } from '../../src/api/http/route/route.ts';
import type { EnvironmentCaller, OrganisationCaller } from '../../src/api/caller.ts';
import { TIER_LIMITS } from '../../src/kernel/words/rights.ts';
import { CHALLENGES } from '../support/check/edge-answers.ts';
import { type Call, type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';
import { createProvingScheme, proofOf } from '../support/world/proving-scheme.ts';

const callerOf = (id: string, scopes: EnvironmentCaller['scopes']): EnvironmentCaller => ({
  principal: { kind: 'apiKey', id },
  level: 'environment',
  organisationId: 'org_1',
  appId: 'app_1',
  environmentId: 'env_1',
  environment: 'live',
  scopes,
  limits: { ...TIER_LIMITS.enterprise, requestsPerMinute: 1_000 },
});
const WRITE = new Set(['messages:write'] as const);
const { environmentId: _, environment: __, appId: ___, ...above } = callerOf('above', WRITE);
const organisation: OrganisationCaller = { ...above, level: 'organisation' };

const { scheme, asked } = createProvingScheme({
  till: { caller: callerOf('till', WRITE) },
  shop: { caller: callerOf('shop', WRITE) },
  few: { caller: { ...callerOf('few', WRITE), limits: { ...TIER_LIMITS.enterprise, requestsPerMinute: 2 } } },
  reader: { caller: callerOf('reader', new Set(['messages:read'])) },
  above: { caller: organisation },
  person: { caller: organisation, isSession: true },
  broken: { caller: callerOf('broken', WRITE), prove: () => Promise.reject(new Error('secret inside')) },
  away: {
    caller: callerOf('away', WRITE),
    prove: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })),
  },
});

/** Requests that handlers received since the test began. */
let got: AnyRequest[] = [];
const route = routesOf<unknown>();
const take = (request: unknown): Promise<{ ok: true }> => {
  // `as`: the rows below differ in what they accept; each test reads its own.
  got.push(request as AnyRequest);
  return Promise.resolve({ ok: true });
};
const answers = { 200: z.strictObject({ ok: z.literal(true) }) };
const access = { scope: 'messages:write' } as const;
const body = z.strictObject({ name: z.string() });
const ROWS: Route<unknown>[] = [
  route({ ...WORDS, method: 'POST', path: '/t/json', access, consumes: 'json', body, answers, handle: take }),
  route({ ...WORDS, method: 'POST', path: '/t/form', access, consumes: 'form', body, answers, handle: take }),
  route({
    ...WORDS,
    method: 'POST',
    path: '/t/raw',
    access,
    consumes: { raw: ['text/csv', 'image/png'] },
    answers,
    handle: take,
  }),
  route({ ...WORDS, method: 'POST', path: '/t/any', access, consumes: { raw: ['*/*'] }, answers, handle: take }),
  route({ ...WORDS, method: 'POST', path: '/t/session', access: 'session', answers, handle: take }),
  route({
    ...WORDS,
    method: 'POST',
    path: '/t/public',
    access: 'public',
    consumes: 'json',
    body,
    answers,
    handle: take,
  }),
];

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ schemes: [scheme], routes: ROWS });
});
afterAll(() => edge.stop());
beforeEach(() => {
  got = [];
});

const JSON_TYPE = { 'content-type': 'application/json' };
/** Sends a request as that principal, with the proof of exactly this request unless another is given. */
function ask(
  principal: string,
  { path = '/t/json', body: sent = '{"name":"a"}', headers, ...call }: Call & { body?: string | Buffer },
) {
  const proof = { 'x-principal': principal, 'x-proof': proofOf('POST', path, sent) };
  return edge.call({ method: 'POST', key: null, path, body: sent, headers: { ...proof, ...headers }, ...call });
}
const codeOf = ({ status, json }: EdgeAnswer): unknown[] => [status, json.error?.code];

test('a credential with a proof over method, target and the exact bytes reaches the handler as its caller', async () => {
  const sent = ' {"name" : "\\u0061"}\n';
  const answer = await ask('till', { path: '/t/json', body: sent });
  expect(codeOf(answer)).toEqual([200, undefined]);
  expect(got.map(({ caller }) => caller?.principal.id)).toEqual(['till']);
  expect(got[0]?.bytes.toString('utf8')).toBe(sent);
  expect(got[0]).toMatchObject({ bodyText: sent, body: { name: 'a' } });
});

test.each([
  [
    'another byte of the body',
    { body: '{"name":"a"}', headers: { 'x-proof': proofOf('POST', '/t/json', '{"name":"b"}') } },
  ],
  ['another target', { headers: { 'x-proof': proofOf('POST', '/t/json?', '{"name":"a"}') } }],
  ['another method', { headers: { 'x-proof': proofOf('PUT', '/t/json', '{"name":"a"}') } }],
  ['no proof', { headers: { 'x-proof': '' } }],
  ['a good proof and another one', { headers: { 'x-proof': [proofOf('POST', '/t/json', '{"name":"a"}'), 'x'] } }],
])('a credential with %s is UNAUTHORIZED, with the headers of the limit that it counts in', async (_, call) => {
  const answer = await ask('shop', call);
  expect(codeOf(answer)).toEqual([401, 'UNAUTHORIZED']);
  expect(answer.headers['www-authenticate']).toBe(CHALLENGES);
  expect(answer.headers['x-ratelimit-limit']).toBe('1000');
  expect(got).toEqual([]);
});

test('limits count by the named principal, authenticated or not, and before the proof is checked', async () => {
  expect(codeOf(await ask('few', { headers: { 'x-proof': 'x' } }))).toEqual([401, 'UNAUTHORIZED']);
  expect((await ask('few', {})).headers['x-ratelimit-remaining']).toBe('0');
  const before = asked();
  expect(codeOf(await ask('few', {}))).toEqual([429, 'RATE_LIMITED']);
  expect(asked()).toBe(before);
  expect((await ask('till', {})).status).toBe(200);
});

test('an unknown principal counts as unauthenticated, by its address', async () => {
  const answer = await ask('nobody', {});
  expect(codeOf(answer)).toEqual([401, 'UNAUTHORIZED']);
  expect(answer.headers['x-ratelimit-limit']).toBe('600');
});

test('an unauthenticated caller learns nothing about the body', async () => {
  const wrong = { body: '{"nam', headers: { 'x-proof': 'x' } };
  expect(codeOf(await ask('till', wrong))).toEqual([401, 'UNAUTHORIZED']);
  expect(codeOf(await ask('till', { body: '{"nam' }))).toEqual([400, 'INVALID_REQUEST']);
});

test('a missing scope is refused before the proof is checked', async () => {
  const before = asked();
  const answer = await ask('reader', {});
  expect(codeOf(answer)).toEqual([403, 'FORBIDDEN']);
  expect(answer.json.error?.message).toContain('messages:write');
  const missing = 'error="insufficient_scope", scope="messages:write"';
  expect(answer.headers['www-authenticate']).toBe(
    `DPoP realm="api", ${missing}, algs="ES256 EdDSA Ed25519 PS256", Bearer realm="api", ${missing}`,
  );
  expect(asked()).toBe(before);
});

test('a proof that fails because of an internal error is that error, without details', async () => {
  const broken = await ask('broken', {});
  expect(codeOf(broken)).toEqual([500, 'INTERNAL']);
  expect(broken.text).not.toContain('secret inside');
  const away = await ask('away', {});
  expect(codeOf(away)).toEqual([503, 'UNAVAILABLE']);
  expect(got).toEqual([]);
});

test('a caller above the environments is refused where an environment is required', async () => {
  const answer = await ask('above', {});
  expect(codeOf(answer)).toEqual([403, 'FORBIDDEN']);
  expect(answer.json.error?.message).toContain('requires a credential that belongs to an environment');
  // No other token would help, so there is no challenge.
  expect(answer.headers['www-authenticate']).toBeUndefined();
});

test('a route of sessions accepts a session of any level, and no other credential', async () => {
  expect(codeOf(await ask('person', { path: '/t/session', body: '' }))).toEqual([200, undefined]);
  expect(got.map(({ caller }) => caller)).toEqual([{ ...organisation, from: { address: '127.0.0.1' } }]);
  expect(codeOf(await ask('till', { path: '/t/session', body: '' }))).toEqual([403, 'FORBIDDEN']);
  const withKey = await edge.call({ method: 'POST', path: '/t/session', key: edge.key });
  expect(codeOf(withKey)).toEqual([403, 'FORBIDDEN']);
  expect(codeOf(await edge.call({ method: 'POST', path: '/t/session', key: null }))).toEqual([401, 'UNAUTHORIZED']);
  expect(got).toHaveLength(1);
});

test('a public route accepts every caller, requires no proof and has no caller', async () => {
  const before = asked();
  const path = '/t/public';
  for (const call of [{ key: null }, { key: 'svc_live_wrong' }, { key: edge.key }]) {
    expect(codeOf(await edge.call({ method: 'POST', path, body: { name: 'a' }, ...call }))).toEqual([200, undefined]);
  }
  expect(codeOf(await ask('till', { path, headers: { 'x-proof': 'x' } }))).toEqual([200, undefined]);
  expect(got.map(({ caller }) => caller)).toEqual([undefined, undefined, undefined, undefined]);
  expect(asked()).toBe(before);
  // Limits apply as on every route: that of unauthenticated callers, and those of a named principal.
  const stranger = await edge.call({ method: 'POST', path, body: { name: 'a' }, key: null });
  const known = await edge.call({ method: 'POST', path, body: { name: 'a' }, key: edge.key });
  expect([stranger, known].map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['600', '600000']);
});

test('an API key is accepted if no other scheme recognises the request', async () => {
  const answer = await edge.call({ method: 'POST', path: '/t/json', body: { name: 'a' } });
  expect(codeOf(answer)).toEqual([200, undefined]);
  expect(got[0]?.caller).toMatchObject({ principal: { kind: 'apiKey' }, level: 'environment', environment: 'live' });
});

test('an Idempotency-Key belongs to its principal', async () => {
  await edge.call({ method: 'POST', path: '/t/json', body: { name: 'a' }, headers: { 'idempotency-key': 'one' } });
  const again = { method: 'POST', path: '/t/json', body: { name: 'a' }, headers: { 'idempotency-key': 'one' } };
  expect((await edge.call(again)).headers['idempotent-replayed']).toBe('true');
  expect(got).toHaveLength(1);
  expect((await edge.call({ ...again, key: await edge.newKey() })).headers['idempotent-replayed']).toBeUndefined();
  expect(got).toHaveLength(2);
});

test('an Idempotency-Key compares raw bodies by their bytes', async () => {
  const call = (body: Buffer) =>
    edge.call({ method: 'POST', path: '/t/any', body, headers: { 'idempotency-key': 'raw' } });
  expect(codeOf(await call(Buffer.from([0xff])))).toEqual([200, undefined]);
  expect(codeOf(await call(Buffer.from([0xfe])))).toEqual([409, 'CONFLICT']);
  expect((await call(Buffer.from([0xff]))).headers['idempotent-replayed']).toBe('true');
  expect(got).toHaveLength(1);
});

test('a form is read as its fields, each once, and other content types are refused', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const call = (sent: string, headers: Record<string, string> = form) =>
    ask('till', { path: '/t/form', body: sent, headers });
  expect(codeOf(await call('name=a+b%26'))).toEqual([200, undefined]);
  expect(got[0]).toMatchObject({ body: { name: 'a b&' }, bodyText: 'name=a+b%26' });
  const refused = [await call('name=a&name=b'), await call('nam=a'), await call(''), await call('name=%ff')];
  expect(refused.map(({ json }) => json.error?.details?.field)).toEqual(['name', 'nam', 'body', 'name']);
  const charset = { 'content-type': 'application/x-www-form-urlencoded; charset=latin1' };
  for (const headers of [JSON_TYPE, charset])
    expect(codeOf(await call('name=a', headers))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(got).toHaveLength(1);
});

test('raw bytes arrive unchanged, in the types that the route names', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0x7b, 0x22]);
  for (const type of ['text/csv; charset=latin1', 'IMAGE/png'])
    expect(codeOf(await ask('till', { path: '/t/raw', body: bytes, headers: { 'content-type': type } }))).toEqual([
      200,
      undefined,
    ]);
  expect(got.map(({ bytes: each }) => each)).toEqual([bytes, bytes]);
  expect(got[0]).toMatchObject({ bodyText: '', body: undefined });
  const refused = await ask('till', { path: '/t/raw', body: bytes, headers: JSON_TYPE });
  expect(codeOf(refused)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(refused.json.error?.details?.reason).toBe('must be text/csv or image/png');
  for (const type of ['application/json', 'x/y', ''])
    expect((await ask('till', { path: '/t/any', body: bytes, headers: { 'content-type': type } })).status).toBe(200);
});
