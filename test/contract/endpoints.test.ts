import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/process/routes.ts';
import { SCOPES, type Scope } from '../../src/kernel/words/rights.ts';
import {
  CONTRACT,
  type ContractRow,
  fillPath,
  parameterOf,
  type ResourceIds,
} from '../support/check/contract-table.ts';
import { oneOfEachKind } from '../support/check/contract-kinds.ts';
import { SEALED_COLUMNS } from '../../src/platform/db/sql/sealed-columns.ts';
import { pageOf } from '../../src/api/http/answers/answer-fields.ts';
import { problemsOf } from '../support/check/answer-check.ts';
import { type Envelope, expectHeaders, expectRefused } from '../support/check/contract-answers.ts';
import { CHALLENGES } from '../support/check/edge-answers.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { sealedTexts } from '../support/make/sealed.ts';
import { asPerson, personScheme } from '../support/world/person-scheme.ts';
import { make, seedResources } from '../support/make/seed.ts';
import { keptTables } from '../support/check/same-tables.ts';
import { setUp } from '../support/make/people.ts';

let posthorn: TestPosthorn;
const tables = keptTables(() => posthorn.deps.pool);
/** Ids of the live environment. The test environment's own are created where needed. */
let ids: ResourceIds;
/** The resources have not been created yet, or a call may have deleted, replayed or cancelled one. */
let isUsedUp = true;
/** For every scope a key that has only it, and a key that has all the others. */
const only = new Map<Scope, string>();
const allBut = new Map<Scope, string>();
let revokedKey = '';
let expiredKey = '';
/** Ids above environments that do not belong to the keys: another app of the same organisation, another organisation. */
let elsewhere: Partial<ResourceIds> = {};

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, schemes: [personScheme] });
  // So that lists of the other environment have something to show.
  await seedResources(posthorn, posthorn.keys.test);
  const newKey = async (body: Record<string, unknown>): Promise<{ id: string; key: string }> => {
    const made = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'key', ...body });
    return { id: made.id, key: String(made['key']) };
  };
  for (const scope of SCOPES) {
    only.set(scope, (await newKey({ scopes: [scope] })).key);
    allBut.set(scope, (await newKey({ scopes: SCOPES.filter((other) => other !== scope) })).key);
  }
  const revoked = await newKey({});
  await posthorn.request('DELETE', `/v1/api-keys/${revoked.id}`);
  revokedKey = revoked.key;
  const expired = await newKey({});
  await posthorn.deps.db.apiKey.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
  expiredKey = expired.key;
  const { id: appId } = await posthorn.services.apps.operator.create({ name: 'Other' }, undefined);
  elsewhere = { appId, organisationId: posthorn.deps.newId('organisation'), connectorId: 'none' };
});
afterAll(() => posthorn.stop());

beforeEach(async () => {
  if (isUsedUp) ids = await seedResources(posthorn, posthorn.keys.live);
  isUsedUp = false;
});

type Options = { key?: string | null; headers?: Record<string, string>; id?: string; body?: unknown };

/** Calls the row's endpoint: with its valid body and the live environment's id unless told otherwise. */
async function call<T = Envelope>(row: ContractRow, options: Options = {}): Promise<Answer<T>> {
  const parameter = parameterOf(row.path);
  const path = fillPath(row.path, options.id ?? (parameter === undefined ? '' : ids[parameter]));
  const body = 'body' in options ? options.body : row.body?.(ids);
  const answer = await posthorn.request<T>(row.method, path, body, options);
  if (answer.status < 400) tables.forget();
  return answer;
}

/** Public endpoints have tests of their own: test/identity/tokens.test.ts. */
const guarded = routes.filter(({ access }) => access !== 'public');

test('the route table has exactly the endpoints of the contract, with their scopes and statuses', () => {
  const wanted = CONTRACT.map(({ method, path, scope, level, status, body }) => ({
    endpoint: `${method} ${path}`,
    access: { scope, ...(level !== undefined && { level }) },
    statuses: [String(status)],
    status,
    consumes: body === undefined ? 'none' : 'json',
  }));
  const scoped = guarded.filter(({ access }) => typeof access === 'object');
  const actual = scoped.map(({ method, path, access, answers, status, consumes }) => ({
    endpoint: `${method} ${path}`,
    access,
    statuses: Object.keys(answers),
    status,
    consumes,
  }));
  const inOrder = <T extends { endpoint: string }>(rows: T[]): T[] =>
    rows.toSorted((one, other) => (one.endpoint < other.endpoint ? -1 : 1));
  expect(inOrder(actual)).toEqual(inOrder(wanted));
});

/** The contract's row of each route; the test above fails for a route without a row, and for a row without a route. */
const served = guarded.flatMap(({ method, path }) =>
  CONTRACT.filter((row) => row.method === method && row.path === path),
);

/**
 * isolation.test.ts calls every route as every kind of wrong caller; mechanisms that all routes share are tested here on one route of
 * each kind.
 */
const KINDS = oneOfEachKind(served);

test('each route is of a known kind', () => {
  expect(new Set(KINDS.map(([kind]) => kind))).toEqual(
    new Set([
      'DELETE of an environment, names one thing, takes no body',
      'GET of any level, names nothing, takes no body',
      'GET of any level, names one thing, takes no body',
      'GET of an environment, names nothing, takes no body',
      'GET of an environment, names one thing, takes no body',
      'GET of an organisation, names nothing, takes no body',
      'GET of an organisation, names one thing, takes no body',
      'PATCH of any level, names one thing, takes a body',
      'PATCH of an environment, names one thing, takes a body',
      'PATCH of an organisation, names one thing, takes a body',
      'POST of an environment, names nothing, takes a body',
      'POST of an environment, names one thing, takes a body',
      'POST of an environment, names one thing, takes an optional body',
      'POST of an environment, names one thing, takes no body',
      'POST of an organisation, names nothing, takes a body',
    ]),
  );
});

describe.each(served)('$method $path', (row) => {
  const parameter = parameterOf(row.path);
  const route = routes.find(({ method, path }) => method === row.method && path === row.path);

  test('lists NOT_FOUND exactly if its path contains an id, and the format of that id', () => {
    expect(route?.errors.includes('NOT_FOUND')).toBe(parameter !== undefined);
    expect(Object.keys(route?.params ?? {})).toEqual(parameter === undefined ? [] : [parameter]);
    if (parameter === undefined) return;
    const form = route?.params[parameter];
    const fits = (id: string): boolean => form?.safeParse(id).success === true;
    const ownPrefix = ids[parameter].slice(0, 4);
    expect(Object.values(ids).filter(fits)).toEqual(Object.values(ids).filter((id) => id.startsWith(ownPrefix)));
    expect(['', 'x', ids[parameter].toUpperCase(), `${ids[parameter]}x`].filter(fits)).toEqual([]);
  });

  if (row.listOf !== undefined && parameter === undefined && row.level === undefined) {
    test('shows nothing of the other environment', async () => {
      const { body } = await call<{ data: { id: string }[] }>(row, { key: posthorn.keys.test });
      const foreign = new Set<string>(Object.values(ids));
      expect(body.data.filter(({ id }) => foreign.has(id))).toEqual([]);
      expect(body.data).not.toEqual([]);
    });
  }

  if (row.level === 'organisation') {
    test(`for a person with no more than ${row.scope} answers ${row.status} with its documented fields`, async () => {
      const answer = await call<unknown>(row, { key: null, headers: asPerson(ids.organisationId, [row.scope]) });
      expect(answer.status).toBe(row.status);
      expectHeaders(answer);
      for (const wanted of [row.answers, row.listOf && pageOf(row.listOf)])
        if (wanted !== undefined) expect(problemsOf(wanted, answer.body)).toEqual([]);
    });
    return;
  }

  test(`with no more than ${row.scope} answers ${row.status} with its documented fields`, async () => {
    isUsedUp = row.method !== 'GET';
    const answer = await call<unknown>(row, { key: only.get(row.scope) ?? null });
    expect([answer.status, answer.body]).toEqual([
      row.status,
      row.status === 204 || row.isStream === true ? undefined : expect.any(Object),
    ]);
    expectHeaders(answer);
    if (row.isStream === true) expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    if (row.answers !== undefined) expect(problemsOf(row.answers, answer.body)).toEqual([]);
    if (row.listOf !== undefined) expect(problemsOf(pageOf(row.listOf), answer.body)).toEqual([]);
    if (row.isBodyOptional === true) {
      ids = await seedResources(posthorn, posthorn.keys.live);
      const bare = await call<unknown>(row, { body: undefined });
      expect(bare.status).toBe(row.status);
      if (row.answers !== undefined) expect(problemsOf(row.answers, bare.body)).toEqual([]);
    }
  });
});

describe.each(KINDS)('%s', (_, row) => {
  const parameter = parameterOf(row.path);

  test('returns UNAUTHORIZED without a valid key, and changes nothing', async () => {
    const { live } = posthorn.keys;
    const wrong: Options[] = [
      { key: null },
      { key: '' },
      { key: live.slice(0, -1) + (live.endsWith('a') ? 'b' : 'a') },
      { key: live.replace('svc_live_', 'svc_test_') },
      { key: live.replace('svc_live_', '') },
      { key: `svc_live_${'0'.repeat(43)}` },
      { key: revokedKey },
      { key: expiredKey },
      ...[`Basic ${live}`, `Token ${live}`, live, `Bearer ${live} ${live}`, `Bearer ${live},`].map((authorization) => ({
        key: null,
        headers: { authorization },
      })),
    ];
    await tables.expectSame(async () => {
      for (const options of wrong) {
        const answer = await call(row, options);
        expectRefused(answer, 'UNAUTHORIZED');
        expect(answer.body.error.message).toBe('The API key is invalid or missing');
        expect(answer.headers.get('www-authenticate')).toBe(CHALLENGES);
      }
    });
  });

  test('returns UNAUTHORIZED for an invalid access token, and changes nothing', async () => {
    await tables.expectSame(async () => {
      for (const authorization of [`DPoP ${posthorn.keys.live}`, 'DPoP', 'DPoP a.b.c', `dpop ${posthorn.keys.live}`]) {
        const answer = await call(row, { key: null, headers: { authorization } });
        expectRefused(answer, 'UNAUTHORIZED');
        expect(answer.body.error.message).toBe('The access token is invalid, has expired or was revoked');
        expect(answer.headers.get('www-authenticate')).toBe(
          CHALLENGES.replace('"api"', '"api", error="invalid_token"'),
        );
      }
    });
  });

  test(`returns FORBIDDEN for a key with every scope except ${row.scope}, and changes nothing`, async () => {
    await tables.expectSame(async () => {
      const answer = await call(row, { key: allBut.get(row.scope) ?? null });
      expectRefused(answer, 'FORBIDDEN');
      expect(answer.body.error.message).toContain(row.scope);
      expect(answer.headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${row.scope}"`);
    });
  });

  if (parameter !== undefined) {
    test('returns NOT_FOUND with the same text for an id that is missing, malformed, of another kind or of the other environment', async () => {
      const own = ids[parameter];
      const missing = `${own.slice(0, 4)}01m${'0'.repeat(23)}`;
      const otherKinds = Object.values(ids).filter((id) => !id.startsWith(own.slice(0, 4)));
      // NUL, broken escapes and dot segments never become an id: the edge's tests cover them.
      const malformed = ['x', `${own}x`, own.slice(0, -1), own.toUpperCase(), ` ${own}`, `${own}\n`, "' OR 1=1 --"];
      const odd = ['%', '😀', '*', 'null', 'undefined', '__proto__', '-1', 'ü'.repeat(500)];
      await tables.expectSame(async () => {
        const as = row.level === 'organisation' ? { key: null, headers: asPerson(ids.organisationId) } : {};
        const expected = await call(row, { ...as, id: missing });
        expectRefused(expected, 'NOT_FOUND');
        for (const id of [...otherKinds, ...malformed, ...odd]) {
          const answer = await call(row, { ...as, id });
          expectRefused(answer, 'NOT_FOUND');
          expect([id, answer.body]).toEqual([id, expected.body]);
        }
        const id = elsewhere[parameter];
        const foreign = await call(row, id === undefined ? { key: posthorn.keys.test } : { ...as, id });
        expectRefused(foreign, 'NOT_FOUND');
        expect(foreign.body).toEqual(expected.body);
      });
    });
  }

  if (row.level === 'organisation') {
    test('returns FORBIDDEN for every API key, and changes nothing', async () => {
      await tables.expectSame(async () => {
        const answer = await call(row);
        expectRefused(answer, 'FORBIDDEN');
        expect(answer.body.error.message).toContain('requires a credential of the organisation');
        const others = SCOPES.filter((scope) => scope !== row.scope);
        const viewer = asPerson(ids.organisationId, others);
        expectRefused(await call(row, { key: null, headers: viewer }), 'FORBIDDEN');
      });
    });
    return;
  }

  if (row.body === undefined) {
    if (row.method !== 'GET') {
      test('refuses a body with another content type', async () => {
        await tables.expectSame(async () => {
          const headers = { 'content-type': 'text/plain' };
          expectRefused(await call(row, { body: 'x', headers }), 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type');
        });
      });
    }
  } else {
    test('refuses a body that is not a JSON object, and changes nothing', async () => {
      await tables.expectSame(async () => {
        for (const body of ['{', '{"a":1,}', 'x', ' ', 'null', '[]', '"text"', '1', 'true', '[{}]']) {
          expectRefused(await call(row, { body }), 'INVALID_REQUEST', 'body');
        }
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
          const answer = await call(row, { headers: { 'content-type': type } });
          expectRefused(answer, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type');
        }
        if (row.isBodyOptional !== true) expectRefused(await call(row, { body: undefined }), 'INVALID_REQUEST', 'body');
      });
    });
  }
});

/** Methods of a path. /v1/dlq/replay also matches /v1/dlq/:deadLetterId: a literal path is not an id, and has only its own methods. */
const methodsOf = (path: string): string[] => {
  const here = CONTRACT.filter((row) => row.path === path);
  const methods = [...new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
  // External services send there without a credential: test/automations.
  return (path === '/v1/webhooks/:webhookId' ? [...methods, 'POST'] : methods).toSorted();
};
const PATHS = new Map(CONTRACT.map(({ path }) => [methodsOf(path).join(', '), path]));

describe.each([...PATHS])('a path with %s', (allowed, path) => {
  test('answers every other method with METHOD_NOT_ALLOWED and the allowed methods', async () => {
    const parameter = parameterOf(path);
    const target = fillPath(path, parameter === undefined ? '' : ids[parameter]);
    const refused = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'].filter((method) => !allowed.includes(method));
    await tables.expectSame(async () => {
      for (const method of refused) {
        for (const key of [posthorn.keys.live, null]) {
          const answer = await posthorn.request<Envelope>(method, target, undefined, { key });
          expectRefused(answer, 'METHOD_NOT_ALLOWED');
          expect(answer.headers.get('allow')).toBe(allowed);
        }
      }
    });
    expect(refused.length).toBeGreaterThan(1);
  });
});

test('the secrets that all these calls have encrypted are in the columns with which a start checks its keys', async () => {
  const path = `/v1/subscriptions/${ids.subscriptionId}/secret/rotate`;
  await posthorn.request('POST', path, {}, { headers: { 'idempotency-key': 'sealed' } });
  // The first request for the public keys creates the key of access tokens.
  await posthorn.request('GET', '/.well-known/jwks.json');
  await (await setUp(posthorn)).browser.request('POST', '/v1/user/totp');
  const places = new Set((await sealedTexts(posthorn.deps.pool)).map(({ place }) => place));
  expect(places).toEqual(new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)));
});
