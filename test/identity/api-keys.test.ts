import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SCOPES } from '../../src/kernel/words/scopes.ts';
import { API_KEYS_PATH, apiKeyCalls, type KeyJson, keyOf } from '../support/make/api-key-calls.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';
import { expectRefused } from '../support/check/edge-answers.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
});
afterAll(() => edge.stop());

const PATH = API_KEYS_PATH;
const UNKNOWN_ID = 'key_01h00000000000000000000000';

const { create, one, isAccepted } = apiKeyCalls(() => edge);

describe('creating a key', () => {
  test('shows it once; afterwards only its first 12 and last 4 characters', async () => {
    const created = await create({ name: 'ci' });
    expect(created.status).toBe(201);
    const { key, ...shown } = keyOf(created);
    expect(key).toMatch(/^svc_live_[0-9A-Za-z]{43}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'ci',
      appId: expect.stringMatching(/^app_[0-9a-z]{26}$/),
      environment: 'live',
      tier: 'enterprise',
      limits: { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 },
      scopes: SCOPES,
      prefix: key.slice(0, 12),
      last4: key.slice(-4),
      status: 'active',
      createdAt: expect.stringMatching(/Z$/),
    });
    expect((await one(shown.id)).json).toEqual(shown);
    const list = await edge.call({ path: `${PATH}?limit=1` });
    expect(list.json).toEqual({ data: [shown], pagination: { cursor: expect.any(String), hasMore: true } });
    expect(await isAccepted(key)).toBe(true);
  });

  test('stores its SHA-256 and nothing that holds the key', async () => {
    const { id, key } = keyOf(await create());
    const row = await edge.database.db.apiKey.findUniqueOrThrow({ where: { id } });
    expect(Buffer.from(row.hash)).toEqual(createHash('sha256').update(key).digest());
    expect(JSON.stringify({ ...row, hash: undefined })).not.toContain(key.slice(12, -4));
    expect(JSON.stringify(edge.lines)).not.toContain(key.slice(12));
  });

  test('takes what is left out from the key that creates it', async () => {
    const parent = await edge.newKey({
      tier: 'pro',
      scopes: ['messages:read', 'credentials:write'],
      limits: { burst: 7, batchPerMinute: 99 },
    });
    expect((await create({}, parent)).json).toMatchObject({
      tier: 'pro',
      scopes: ['messages:read', 'credentials:write'],
      limits: { requestsPerMinute: 6_000, burst: 7, concurrent: 100, batchPerMinute: 99 },
    });
    expect(
      (await create({ tier: 'free', scopes: ['messages:read'], limits: { burst: 5 } }, parent)).json,
    ).toMatchObject({
      tier: 'free',
      scopes: ['messages:read'],
      limits: { requestsPerMinute: 60, burst: 5, concurrent: 5, batchPerMinute: 10 },
    });
  });

  test.each([
    ['a scope it does not have', { scopes: ['messages:read', 'dlq:write'] }, 'scopes'],
    ['a tier above its own', { tier: 'pro' }, 'tier'],
    ['a limit above its own', { limits: { concurrent: 26 } }, 'limits.concurrent'],
    ['a tier whose limits are above its own', { tier: 'starter' }, 'limits.burst'],
    ['a batch limit above its own', { limits: { batchPerMinute: 11 } }, 'limits.batchPerMinute'],
  ])('with %s is FORBIDDEN and makes nothing', async (_, body, field) => {
    const parent = await edge.newKey({
      tier: 'starter',
      scopes: ['messages:read', 'credentials:write'],
      limits: { burst: 20 },
    });
    const before = await edge.database.db.apiKey.count();
    const call = { method: 'POST', path: PATH, key: parent, body: { name: 'x', ...body } };
    await expectRefused(edge, call, { status: 403, code: 'FORBIDDEN', field });
    expect(await edge.database.db.apiKey.count()).toBe(before);
  });

  test.each([
    [{ name: undefined }, 'name', /^is required$/],
    [{ name: '' }, 'name', /^must not be empty$/],
    [{ name: 'x'.repeat(201) }, 'name', /^must be at most 200 characters$/],
    [{ name: null }, 'name', /^must be a string, not null$/],
    [{ tier: 'gold' }, 'tier', /^must be one of free, starter, pro, enterprise$/],
    [{ scopes: [] }, 'scopes', /^must not be empty$/],
    [{ scopes: ['all'] }, 'scopes[0]', /^must be one of channels:read/],
    [{ limits: { burst: 0 } }, 'limits.burst', /^must be at least 1$/],
    [{ limits: { burst: 2 ** 31 } }, 'limits.burst', /^must be at most 1000000000$/],
    [{ limits: { burts: 5 } }, 'limits.burts', /^is not a known field; did you mean burst\?$/],
    [{ expiresAt: '2026-02-30T00:00:00Z' }, 'expiresAt', /^must be a date-time/],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', /^must be in the future$/],
  ])('%j is INVALID_REQUEST', async (body, field, reason) => {
    const call = { method: 'POST', path: PATH, body: { name: 'x', ...body } };
    await expectRefused(edge, call, { status: 400, code: 'INVALID_REQUEST', field, reason });
  });
});

describe('the list of keys', () => {
  test('is paged, newest first, and holds those of its environment only', async () => {
    const testKey = await edge.newKey({ environment: 'test' });
    const made = [];
    for (const name of ['a', 'b', 'c']) made.push(keyOf(await create({ name }, testKey)).id);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await edge.call({ path: `${PATH}?limit=2${cursor}`, key: testKey });
      const { data, pagination } = page.json as unknown as { data: KeyJson[]; pagination: { cursor?: string } };
      seen.push(...data.map(({ id }) => id));
      cursor = pagination.cursor === undefined ? '' : `&cursor=${pagination.cursor}`;
    } while (cursor !== '');
    expect(seen.slice(0, 3)).toEqual(made.toReversed());
    expect(seen).toHaveLength(4);
    const foreign = await edge.call({ path: `${PATH}?limit=2`, key: testKey });
    const { cursor: foreignCursor } = foreign.json['pagination'] as { cursor: string };
    const call = { path: `${PATH}?cursor=${foreignCursor}` };
    await expectRefused(edge, call, { status: 400, code: 'INVALID_REQUEST', field: 'cursor' });
  });
});

describe('one key', () => {
  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
  ])(
    '%s /:id%s is NOT_FOUND with one text for a missing, a malformed and a foreign id, which stays as it is',
    async (method, suffix) => {
      const foreign = keyOf(await create({}, await edge.newKey({ environment: 'test' })));
      const body = method === 'PATCH' ? { body: { name: 'new' } } : {};
      const messages = new Set<string | undefined>();
      for (const id of [UNKNOWN_ID, 'x', 'key_', foreign.id, '%F0%9F%98%80', foreign.id.toUpperCase()]) {
        const answer = await expectRefused(
          edge,
          { method, path: `${PATH}/${id}${suffix}`, ...body },
          { status: 404, code: 'NOT_FOUND' },
        );
        messages.add(answer.json.error?.message);
      }
      expect([...messages]).toEqual(['No such API key in this environment']);
      expect(await isAccepted(foreign.key)).toBe(true);
    },
  );

  test('that is revoked is refused at once, stays readable, and can be revoked again', async () => {
    const { id, key } = keyOf(await create());
    expect(await isAccepted(key)).toBe(true);
    expect((await one(id, 'DELETE')).status).toBe(204);
    expect(await isAccepted(key)).toBe(false);
    expect((await one(id)).json).toMatchObject({ id, status: 'revoked' });
    expect((await one(id, 'DELETE')).status).toBe(204);
    await expectRefused(edge, { method: 'POST', path: `${PATH}/${id}/rotate` }, { status: 409, code: 'CONFLICT' });
  });

  test('may revoke itself', async () => {
    const { id, key } = keyOf(await create());
    expect((await one(id, 'DELETE', key)).status).toBe(204);
    expect(await isAccepted(key)).toBe(false);
  });

  test('that is rotated keeps its id and settings under a new key, and the old one is refused', async () => {
    const before = keyOf(await create({ name: 'rotated', scopes: ['messages:read'] }));
    expect(await isAccepted(before.key)).toBe(true);
    const rotated = await edge.call({ method: 'POST', path: `${PATH}/${before.id}/rotate` });
    expect(rotated.status).toBe(200);
    const after = keyOf(rotated);
    expect(after.key).toMatch(/^svc_live_[0-9A-Za-z]{43}$/);
    expect(after).toMatchObject({
      id: before.id,
      name: 'rotated',
      scopes: ['messages:read'],
      last4: after.key.slice(-4),
    });
    expect([await isAccepted(before.key), await isAccepted(after.key)]).toEqual([false, true]);
  });

  test('with more scopes or higher limits than the caller cannot be rotated, which would hand it over', async () => {
    const { id, key } = keyOf(await create());
    for (const options of [{ scopes: ['credentials:write'] as const }, { tier: 'free' as const }]) {
      const caller = await edge.newKey(options);
      await expectRefused(
        edge,
        { method: 'POST', path: `${PATH}/${id}/rotate`, key: caller },
        { status: 403, code: 'FORBIDDEN', field: 'tier' in options ? 'tier' : 'scopes' },
      );
    }
    expect(await isAccepted(key)).toBe(true);
  });

  test('with more scopes or higher limits than the caller can be neither revoked nor renamed by it', async () => {
    const { id, key } = keyOf(await create());
    const caller = await edge.newKey({ tier: 'free' });
    const refused = { status: 403, code: 'FORBIDDEN', field: 'tier' } as const;
    await expectRefused(edge, { method: 'DELETE', path: `${PATH}/${id}`, key: caller }, refused);
    await expectRefused(edge, { method: 'PATCH', path: `${PATH}/${id}`, key: caller, body: { name: 'mine' } }, refused);
    expect(await isAccepted(key)).toBe(true);
  });
});

describe('the command line', () => {
  test('makes, lists and revokes keys of any environment', async () => {
    const { operator } = edge.apiKeys;
    const made = await operator.create({ environment: 'test', name: 'cli', tier: 'free', scopes: ['messages:read'] });
    expect(made).toMatchObject({ environment: 'test', tier: 'free', scopes: ['messages:read'], status: 'active' });
    expect((await operator.list({ kind: 'test' }))[0]).toMatchObject({ id: made.id });
    expect((await operator.list({ kind: 'live' })).some(({ id }) => id === made.id)).toBe(false);
    expect((await operator.list()).some(({ id }) => id === made.id)).toBe(true);
    await operator.revoke(made.id);
    expect(await isAccepted(made.key)).toBe(false);
    await expect(operator.revoke(UNKNOWN_ID)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(operator.revoke('x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
