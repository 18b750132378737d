import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../../src/platform/db/client.ts';
import type { ApiKeys } from '../../src/identity/credentials/api-keys/service.ts';
import { SCOPES } from '../../src/kernel/words/rights.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { expectRefused } from '../support/check/edge-answers.ts';
import { waitFor } from '../support/check/wait-for.ts';
import {
  API_KEYS_PATH,
  apiKeyCalls,
  type KeyJson,
  keyOf,
  API_KEYS_PATH as PATH,
} from '../support/make/api-key-calls.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';
import { PATIENT } from '../support/service/patience.ts';
import { type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';

describe('api keys', () => {
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

    test('stores its SHA-256 and nothing that contains the key', async () => {
      const { id, key } = keyOf(await create());
      const row = await edge.database.db.apiKey.findUniqueOrThrow({ where: { id } });
      expect(Buffer.from(row.hash)).toEqual(createHash('sha256').update(key).digest());
      expect(JSON.stringify({ ...row, hash: undefined })).not.toContain(key.slice(12, -4));
      expect(JSON.stringify(edge.lines)).not.toContain(key.slice(12));
    });

    test('takes omitted settings from the key that creates it', async () => {
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
    ])('with %s is FORBIDDEN and creates nothing', async (_, body, field) => {
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
    test('is paged, newest first, and has only those of its environment', async () => {
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
      '%s /:id%s is NOT_FOUND with one text for a missing, a malformed and a foreign id, and changes nothing',
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

    test('that is rotated keeps its id and settings with a new secret, and the old one is refused', async () => {
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

    test('with more scopes or higher limits than the caller cannot be rotated, which would give the caller its rights', async () => {
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
      await expectRefused(
        edge,
        { method: 'PATCH', path: `${PATH}/${id}`, key: caller, body: { name: 'mine' } },
        refused,
      );
      expect(await isAccepted(key)).toBe(true);
    });
  });

  describe('the command line', () => {
    test('creates, lists and revokes keys of any environment', async () => {
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
});

describe('api key changes', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
  });
  afterAll(() => edge.stop());

  const { create, one, isAccepted } = apiKeyCalls(() => edge);
  const HOUR = 3_600_000;
  const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();

  const patch = (id: string, body: object, key = edge.key): Promise<EdgeAnswer> =>
    edge.call({ method: 'PATCH', path: `${PATH}/${id}`, key, body });

  /** Expects the refusal, and that the key is unchanged. */
  async function expectUnchanged(
    id: string,
    body: object,
    expected: { status: number; code: string; field: string },
    key = edge.key,
  ) {
    const before = (await one(id)).json;
    const answer = await expectRefused(edge, { method: 'PATCH', path: `${PATH}/${id}`, key, body }, expected);
    expect((await one(id)).json).toEqual(before);
    return answer.json.error?.details?.reason;
  }
  const invalid = (field: string) => ({ status: 400, code: 'INVALID_REQUEST', field });
  const forbidden = (field: string) => ({ status: 403, code: 'FORBIDDEN', field });

  /** A second process: its own cache of keys, on the same database, with its own clock. */
  async function withOtherProcess(
    work: (other: ApiKeys, advance: (ms: number) => void) => Promise<void>,
  ): Promise<void> {
    let now = Date.now();
    // `as`: the part of a logger that is called.
    const log = { warn: () => undefined } as never;
    const { db, tenants } = edge.database;
    const other = apiKeysOf({ db, tenants, clock: () => new Date(now), newId: createNewId(Date.now), log });
    await work(other, (ms) => {
      now += ms;
    });
    await other.settled();
  }

  // Regression: PATCH read only the name, and responded to everything else with 200.
  describe('the PATCH of a key', () => {
    test('changes everything it names, and returns the new state', async () => {
      const { id } = keyOf(await create({ name: 'old' }));
      const expiresAt = inHours(5);
      const body = { name: 'new', tier: 'pro', scopes: ['dlq:read', 'channels:read'], limits: { burst: 5 }, expiresAt };
      const changed = await patch(id, body);
      expect(changed.status).toBe(200);
      expect(changed.json).toMatchObject({
        ...body,
        scopes: ['channels:read', 'dlq:read'],
        limits: { requestsPerMinute: 6_000, burst: 5, concurrent: 100, batchPerMinute: 10 },
      });
      expect((await one(id)).json).toEqual(changed.json);
    });

    test('takes effect at once here, and within 5 seconds in another process', async () => {
      const { id, key } = keyOf(await create());
      await withOtherProcess(async (other, advance) => {
        expect((await other.authenticate(key))?.scopes.size).toBe(SCOPES.length);
        expect((await edge.call({ key })).status).toBe(200);
        await patch(id, { scopes: ['channels:read'], limits: { burst: 3 }, expiresAt: inHours(1) });
        const call = { path: '/v1/list', key };
        await expectRefused(edge, call, { status: 403, code: 'FORBIDDEN' });
        advance(5_000);
        expect(await other.authenticate(key)).toMatchObject({ limits: { burst: 3 } });
        expect([...((await other.authenticate(key))?.scopes ?? [])]).toEqual(['channels:read']);
        advance(HOUR);
        expect(await other.authenticate(key)).toBeUndefined();
      });
    });

    test('keeps what it does not name, merges limits, and returns a limit to the tier with null', async () => {
      const { id } = keyOf(await create({ tier: 'pro', limits: { burst: 7, concurrent: 9 } }));
      expect((await patch(id, { limits: { concurrent: 8 } })).json['limits']).toMatchObject({
        burst: 7,
        concurrent: 8,
      });
      expect((await patch(id, { limits: { burst: null } })).json['limits']).toMatchObject({
        burst: 200,
        concurrent: 8,
      });
      expect((await patch(id, { limits: null })).json['limits']).toMatchObject({ burst: 200, concurrent: 100 });
    });

    test('gives a key of another tier the limits of that tier, except those given with it', async () => {
      const { id } = keyOf(await create({ tier: 'pro', limits: { burst: 7 } }));
      const changed = await patch(id, { tier: 'starter', limits: { concurrent: 8 } });
      expect(changed.json['limits']).toEqual({ requestsPerMinute: 600, burst: 50, concurrent: 8, batchPerMinute: 10 });
    });

    test('with the key as it was read changes nothing: a limit that follows the tier still does', async () => {
      const { id } = keyOf(await create({ tier: 'pro', expiresAt: inHours(2) }));
      const { json } = await one(id);
      const { tier, ...rest } = json;
      expect((await patch(id, { ...rest, tier })).json).toEqual(json);
      expect((await patch(id, { tier: 'starter' })).json['limits']).toMatchObject({
        requestsPerMinute: 600,
        burst: 50,
      });
    });

    test('ends an expiry with null, and makes an expired key valid again', async () => {
      const { id, key } = keyOf(await create({ expiresAt: inHours(1) }));
      await edge.database.db.apiKey.update({ where: { id }, data: { expiresAt: new Date(0) } });
      expect((await one(id)).json['status']).toBe('expired');
      expect((await patch(id, { name: 'sent back', expiresAt: new Date(0).toISOString() })).status).toBe(200);
      const alive = await patch(id, { expiresAt: null, status: 'active' });
      expect([alive.status, alive.json['status'], alive.json['expiresAt']]).toEqual([200, 'active', undefined]);
      expect(await isAccepted(key)).toBe(true);
    });

    test('refuses what it cannot do, says what can, and changes nothing else', async () => {
      const { id } = keyOf(await create({ expiresAt: inHours(1) }));
      const expired = new Date(Date.now() - HOUR).toISOString();
      expect(await expectUnchanged(id, { name: 'x', status: 'revoked' }, invalid('status'))).toContain('DELETE');
      expect(await expectUnchanged(id, { name: 'x', status: 'expired' }, invalid('status'))).toContain('expiresAt');
      expect(await expectUnchanged(id, { name: 'x', prefix: 'svc_live_abc' }, invalid('prefix'))).toContain('rotate');
      expect(await expectUnchanged(id, { name: 'x', key: 'svc_live_x' }, invalid('key'))).toContain('rotate');
      expect(await expectUnchanged(id, { name: 'x', environment: 'test' }, invalid('environment'))).toBe(
        'cannot change',
      );
      await expectUnchanged(id, { name: 'x', expiresAt: expired }, invalid('expiresAt'));
      await expectUnchanged(id, { name: 'x', createdAt: expired }, invalid('createdAt'));
      await expectUnchanged(id, { name: 'x', scopes: [] }, invalid('scopes'));
      await expectUnchanged(id, { name: 'x', limits: { burst: 0 } }, invalid('limits.burst'));
      await expectUnchanged(id, {}, invalid('body'));
    });

    test('gives no more than the caller has, not even to itself', async () => {
      const scopes = ['messages:read', 'credentials:write'] as const;
      const parent = keyOf(await create({ tier: 'starter', scopes, limits: { burst: 20 }, expiresAt: inHours(1) }));
      const child = keyOf(await create({ scopes: ['messages:read'] }, parent.key));
      for (const { id } of [child, parent]) {
        await expectUnchanged(id, { name: 'x', scopes: ['dlq:write'] }, forbidden('scopes'), parent.key);
        await expectUnchanged(id, { name: 'x', tier: 'pro' }, forbidden('tier'), parent.key);
        await expectUnchanged(id, { name: 'x', limits: { burst: 21 } }, forbidden('limits.burst'), parent.key);
        await expectUnchanged(id, { name: 'x', limits: { burst: null } }, forbidden('limits.burst'), parent.key);
        await expectUnchanged(id, { name: 'x', expiresAt: null }, forbidden('expiresAt'), parent.key);
        await expectUnchanged(id, { name: 'x', expiresAt: inHours(2) }, forbidden('expiresAt'), parent.key);
      }
      expect((await patch(child.id, { limits: { burst: 19 }, expiresAt: inHours(0.5) }, parent.key)).status).toBe(200);
    });
  });

  // Regression: expiresAt was neither inherited nor compared, so a key of one hour created keys that never expire.
  describe('a key that expires', () => {
    test('creates keys that expire no later, at its own end by default', async () => {
      const expiresAt = inHours(1);
      const parent = keyOf(await create({ expiresAt }));
      for (const body of [{}, { expiresAt: null }, { expiresAt }])
        expect((await create(body, parent.key)).json['expiresAt']).toBe(expiresAt);
      const sooner = inHours(0.5);
      expect((await create({ expiresAt: sooner }, parent.key)).json['expiresAt']).toBe(sooner);
      const before = await edge.database.db.apiKey.count();
      const body = { name: 'x', expiresAt: inHours(2) };
      const refused = await expectRefused(
        edge,
        { method: 'POST', path: PATH, key: parent.key, body },
        forbidden('expiresAt'),
      );
      expect(refused.json.error?.details?.reason).toContain(expiresAt);
      expect(await edge.database.db.apiKey.count()).toBe(before);
    });

    test('cannot change, rotate or revoke a key that expires later', async () => {
      const { key } = keyOf(await create({ expiresAt: inHours(1) }));
      for (const other of [keyOf(await create()), keyOf(await create({ expiresAt: inHours(2) }))]) {
        await expectUnchanged(other.id, { name: 'x' }, forbidden('expiresAt'), key);
        const path = `${PATH}/${other.id}`;
        await expectRefused(edge, { method: 'POST', path: `${path}/rotate`, key }, forbidden('expiresAt'));
        await expectRefused(edge, { method: 'DELETE', path, key }, forbidden('expiresAt'));
        expect(await isAccepted(other.key)).toBe(true);
      }
      const sooner = keyOf(await create({ expiresAt: inHours(0.5) }));
      expect((await patch(sooner.id, { name: 'x' }, key)).status).toBe(200);
    });

    test('keeps its expiry when another key rotates it', async () => {
      const expiresAt = inHours(1);
      const { id } = keyOf(await create({ expiresAt }));
      expect((await edge.call({ method: 'POST', path: `${PATH}/${id}/rotate` })).json['expiresAt']).toBe(expiresAt);
    });

    test('is not limited on the command line', async () => {
      const made = await edge.apiKeys.operator.create({ environment: 'live', name: 'for ever', tier: 'enterprise' });
      expect(made.expiresAt).toBeUndefined();
    });
  });

  test('a key that was just revoked cannot create another in a process that still has it cached', async () => {
    const { id, key } = keyOf(await create());
    await withOtherProcess(async (other) => {
      const caller = await other.authenticate(key);
      if (caller === undefined) throw new Error('The key is not known');
      await one(id, 'DELETE');
      const before = await edge.database.db.apiKey.count();
      await expect(other.create(caller, { name: 'stays' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      expect(await edge.database.db.apiKey.count()).toBe(before);
    });
  });

  test("a new key's environment can only be the creating key's", async () => {
    expect((await create({ environment: 'live' })).status).toBe(201);
    const before = await edge.database.db.apiKey.count();
    const call = { method: 'POST', path: PATH, body: { name: 'x', environment: 'test' } };
    await expectRefused(edge, call, { ...invalid('environment'), reason: /^must be live/ });
    expect(await edge.database.db.apiKey.count()).toBe(before);
  });

  test('the command line refuses a name with control characters as the API does', async () => {
    const named = { environment: 'live', name: 'a\u001b[2Jb', tier: 'free' } as const;
    await expect(edge.apiKeys.operator.create(named)).rejects.toMatchObject({ details: { field: 'name' } });
  });
});

describe('api key rotation', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
  });
  afterAll(() => edge.stop());

  const { create, one, isAccepted } = apiKeyCalls(() => edge);
  const WEEK_SECONDS = 604_800;

  const rotate = (id: string, body?: object, key = edge.key): Promise<EdgeAnswer> =>
    edge.call({ method: 'POST', path: `${PATH}/${id}/rotate`, key, ...(body !== undefined && { body }) });
  // `as`: a text if there is one.
  const previousEnd = (answer: EdgeAnswer): string | undefined =>
    (answer.json as { previousKeyExpiresAt?: string }).previousKeyExpiresAt;

  /** A separate process, at its own time. */
  async function at(time: () => number, work: (other: ApiKeys) => Promise<void>): Promise<void> {
    const { db, tenants } = edge.database;
    // `as`: the part of a logger that is called.
    const log = { warn: () => undefined } as never;
    const other = apiKeysOf({ db, tenants, clock: () => new Date(time()), newId: () => '', log });
    await work(other);
    await other.settled();
  }

  describe('rotating a key', () => {
    test('ends the old one at once, unless an overlap is requested', async () => {
      for (const body of [undefined, {}, { overlapSeconds: 0 }]) {
        const old = keyOf(await create());
        const rotated = await rotate(old.id, body);
        expect([rotated.status, previousEnd(rotated)]).toEqual([200, undefined]);
        expect(await isAccepted(old.key)).toBe(false);
        expect(await isAccepted(keyOf(rotated).key)).toBe(true);
      }
    });

    test('with an overlap accepts both until it ends, and shows when that is', async () => {
      const old = keyOf(await create({ name: 'old' }));
      const before = Date.now();
      const rotated = await rotate(old.id, { overlapSeconds: 3_600 });
      const end = Date.parse(previousEnd(rotated) ?? '');
      expect(end).toBeGreaterThanOrEqual(before + 3_600_000);
      expect(end).toBeLessThanOrEqual(Date.now() + 3_600_000);
      const { key, ...shown } = keyOf(rotated);
      expect((await one(old.id)).json).toEqual(shown);
      expect([await isAccepted(old.key), await isAccepted(key)]).toEqual([true, true]);

      let now = end - 1;
      await at(
        () => now,
        async (other) => {
          expect((await other.authenticate(old.key))?.principal.id).toBe(old.id);
          now = end;
          // Although it is still cached.
          expect(await other.authenticate(old.key)).toBeUndefined();
          expect((await other.authenticate(key))?.principal.id).toBe(old.id);
          expect(
            (await other.list(await callerOf(other, key), { limit: 100 })).data.find(({ id }) => id === old.id),
          ).not.toHaveProperty('previousKeyExpiresAt');
        },
      );
    });

    test('again ends the one before the last, whatever was left of its overlap', async () => {
      const first = keyOf(await create());
      const second = keyOf(await rotate(first.id, { overlapSeconds: WEEK_SECONDS }));
      const third = keyOf(await rotate(first.id, { overlapSeconds: 60 }));
      const accepted = await Promise.all([first, second, third].map(({ key }: KeyJson) => isAccepted(key)));
      expect(accepted).toEqual([false, true, true]);
    });

    test('leaves the old one no right to create, rotate or revoke keys, with which it could outlive its overlap', async () => {
      const old = keyOf(await create());
      const { key } = keyOf(await rotate(old.id, { overlapSeconds: 60 }));
      const refused = { status: 403, code: 'FORBIDDEN' };
      const path = `${PATH}/${old.id}/rotate`;
      const body = { overlapSeconds: WEEK_SECONDS };
      await expectRefused(edge, { method: 'POST', path, key: old.key, body }, refused);
      await expectRefused(edge, { method: 'POST', path: PATH, key: old.key, body: { name: 'x' } }, refused);
      expect((await rotate(old.id, body, key)).status).toBe(200);
    });

    test('and revoking it, or its expiry, ends both', async () => {
      const old = keyOf(await create());
      const { key } = keyOf(await rotate(old.id, { overlapSeconds: 60 }));
      await edge.call({ method: 'DELETE', path: `${PATH}/${old.id}` });
      expect([await isAccepted(old.key), await isAccepted(key)]).toEqual([false, false]);

      const ending = keyOf(await create({ expiresAt: new Date(Date.now() + 60_000).toISOString() }));
      const next = keyOf(await rotate(ending.id, { overlapSeconds: WEEK_SECONDS }));
      let now = Date.now();
      await at(
        () => now,
        async (other) => {
          for (const each of [ending.key, next.key]) expect(await other.authenticate(each)).toBeDefined();
          now += 60_000;
          for (const each of [ending.key, next.key]) expect(await other.authenticate(each)).toBeUndefined();
        },
      );
    });

    test.each([-1, 1.5, WEEK_SECONDS + 1, '60'])('refuses an overlap of %j seconds', async (overlapSeconds) => {
      const { id, key } = keyOf(await create());
      const call = { method: 'POST', path: `${PATH}/${id}/rotate`, body: { overlapSeconds } };
      await expectRefused(edge, call, { status: 400, code: 'INVALID_REQUEST', field: 'overlapSeconds' });
      expect(await isAccepted(key)).toBe(true);
    });
  });

  async function callerOf(apiKeys: ApiKeys, key: string) {
    const caller = await apiKeys.authenticate(key);
    if (caller === undefined) throw new Error('the key is not taken');
    return caller;
  }
});

describe('api key authentication', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
  });
  afterAll(() => edge.stop());

  const PATH = API_KEYS_PATH;

  const { create, one, isAccepted } = apiKeyCalls(() => edge);

  describe('authentication', () => {
    test('refuses a key as soon as it has expired', async () => {
      const { id, key } = keyOf(await create({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() }));
      expect(await isAccepted(key)).toBe(true);
      edge.advance(3_600_001);
      try {
        expect(await isAccepted(key)).toBe(false);
        expect((await one(id)).json['status']).toBe('expired');
        await expectRefused(edge, { method: 'POST', path: `${PATH}/${id}/rotate` }, { status: 409, code: 'CONFLICT' });
      } finally {
        edge.advance(-3_600_001);
      }
    });

    test('refuses a key with the prefix of the other environment', async () => {
      const { key } = keyOf(await create());
      expect(await isAccepted(key.replace('svc_live_', 'svc_test_'))).toBe(false);
    });

    test('accepts a new key at once, even if it was tried before it existed', async () => {
      const key = `svc_live_${'7'.repeat(43)}`;
      expect(await isAccepted(key)).toBe(false);
      const { id } = keyOf(await create());
      await edge.database.db.apiKey.update({
        where: { id },
        data: { hash: createHash('sha256').update(key).digest() },
      });
      expect(await isAccepted(key)).toBe(true);
    });

    test('in another process follows a revocation within 5 seconds', async () => {
      const db = createDatabase(edge.database.url, PATIENT);
      let now = Date.now();
      // `as`: the part of a logger that is called.
      const log = { warn: () => undefined } as never;
      const other = apiKeysOf({
        db,
        tenants: edge.database.tenants,
        clock: () => new Date(now),
        newId: createNewId(Date.now),
        log,
      });
      const { id, key } = keyOf(await create());
      expect(await other.authenticate(key)).toMatchObject({ principal: { kind: 'apiKey', id }, environment: 'live' });
      await one(id, 'DELETE');
      expect(await other.authenticate(key)).toBeDefined();
      now += 5_000;
      expect(await other.authenticate(key)).toBeUndefined();
      await other.settled();
      await db.$disconnect();
    });

    test('records lastUsedAt, at most once a minute', async () => {
      const { id, key } = keyOf(await create());
      const lastUsedAt = async (): Promise<number | undefined> => {
        await edge.apiKeys.settled();
        return (await edge.database.db.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt?.getTime();
      };
      expect(await lastUsedAt()).toBeUndefined();
      await edge.call({ key });
      const first = await lastUsedAt();
      expect(first).toBeDefined();
      edge.advance(30_000);
      await edge.call({ key });
      expect(await lastUsedAt()).toBe(first);
      edge.advance(31_000);
      await edge.call({ key });
      expect(await lastUsedAt()).toBeGreaterThan((first ?? 0) + 60_000);
      edge.advance(-61_000);
      expect(Date.parse((await one(id)).json['lastUsedAt'] as string)).toBeGreaterThan(first ?? 0);
    });

    test('records with it the address that the request came from', async () => {
      const { id, key } = keyOf(await create());
      const shown = async (): Promise<unknown> => {
        await edge.apiKeys.settled();
        return (await one(id)).json['lastUsedAddress'];
      };
      expect(await shown()).toBeUndefined();
      await edge.call({ key });
      expect(await shown()).toBe('127.0.0.1');
      // No proxy is trusted here.
      edge.advance(61_000);
      await edge.call({ key, headers: { 'x-forwarded-for': '203.0.113.7' } });
      expect(await shown()).toBe('127.0.0.1');
      edge.advance(-61_000);
    });

    test('continues with cached keys while PostgreSQL is down for a moment', async () => {
      const cutOff = await startEdge();
      expect((await cutOff.call({})).status).toBe(200);
      await cutOff.wire.cut();
      expect((await cutOff.call({})).status).toBe(200);
      cutOff.advance(5_000);
      expect((await cutOff.call({})).status).toBe(503);
      await cutOff.wire.mend();
      await waitFor('the key to be known again', async () => (await cutOff.call({})).status === 200);
      await cutOff.stop();
    });
  });
});
