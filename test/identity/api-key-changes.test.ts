import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiKeys } from '../../src/identity/api-keys/service.ts';
import { createNewId } from '../../src/new-id.ts';
import { SCOPES } from '../../src/kernel/words/scopes.ts';
import { API_KEYS_PATH as PATH, apiKeyCalls, keyOf } from '../support/make/api-key-calls.ts';
import { type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';
import { expectRefused } from '../support/check/edge-answers.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';

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

/** Expects the refusal, and that the key is as it was. */
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

/** A second process: its own memory of keys, on the same database, at a time of its own. */
async function withOtherProcess(work: (other: ApiKeys, advance: (ms: number) => void) => Promise<void>): Promise<void> {
  let now = Date.now();
  // `as`: as much of a logger as is called.
  const log = { warn: () => undefined } as never;
  const { db, tenants } = edge.database;
  const other = apiKeysOf({ db, tenants, clock: () => new Date(now), newId: createNewId(Date.now), log });
  await work(other, (ms) => {
    now += ms;
  });
  await other.settled();
}

// The old mechanism: PATCH read nothing but the name, and answered 200 to all the rest.
describe('the PATCH of a key', () => {
  test('does all that it names, and answers with what holds then', async () => {
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

  test('holds at once here, and within 5 seconds in another process', async () => {
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

  test('leaves what it does not name, merges limits, and gives a limit back to the tier with null', async () => {
    const { id } = keyOf(await create({ tier: 'pro', limits: { burst: 7, concurrent: 9 } }));
    expect((await patch(id, { limits: { concurrent: 8 } })).json['limits']).toMatchObject({ burst: 7, concurrent: 8 });
    expect((await patch(id, { limits: { burst: null } })).json['limits']).toMatchObject({ burst: 200, concurrent: 8 });
    expect((await patch(id, { limits: null })).json['limits']).toMatchObject({ burst: 200, concurrent: 100 });
  });

  test('gives a key of another tier the limits of that tier, but for those given beside it', async () => {
    const { id } = keyOf(await create({ tier: 'pro', limits: { burst: 7 } }));
    const changed = await patch(id, { tier: 'starter', limits: { concurrent: 8 } });
    expect(changed.json['limits']).toEqual({ requestsPerMinute: 600, burst: 50, concurrent: 8, batchPerMinute: 10 });
  });

  test('sent back as it was read changes nothing: a limit that follows the tier goes on following it', async () => {
    const { id } = keyOf(await create({ tier: 'pro', expiresAt: inHours(2) }));
    const { json } = await one(id);
    const { tier, ...rest } = json;
    expect((await patch(id, { ...rest, tier })).json).toEqual(json);
    expect((await patch(id, { tier: 'starter' })).json['limits']).toMatchObject({ requestsPerMinute: 600, burst: 50 });
  });

  test('ends an expiry with null, and makes an expired key live again', async () => {
    const { id, key } = keyOf(await create({ expiresAt: inHours(1) }));
    await edge.database.db.apiKey.update({ where: { id }, data: { expiresAt: new Date(0) } });
    expect((await one(id)).json['status']).toBe('expired');
    expect((await patch(id, { name: 'sent back', expiresAt: new Date(0).toISOString() })).status).toBe(200);
    const alive = await patch(id, { expiresAt: null, status: 'active' });
    expect([alive.status, alive.json['status'], alive.json['expiresAt']]).toEqual([200, 'active', undefined]);
    expect(await isAccepted(key)).toBe(true);
  });

  test('refuses what it cannot do, says what can, and does nothing of the rest', async () => {
    const { id } = keyOf(await create({ expiresAt: inHours(1) }));
    const expired = new Date(Date.now() - HOUR).toISOString();
    expect(await expectUnchanged(id, { name: 'x', status: 'revoked' }, invalid('status'))).toContain('DELETE');
    expect(await expectUnchanged(id, { name: 'x', status: 'expired' }, invalid('status'))).toContain('expiresAt');
    expect(await expectUnchanged(id, { name: 'x', prefix: 'svc_live_abc' }, invalid('prefix'))).toContain('rotate');
    expect(await expectUnchanged(id, { name: 'x', key: 'svc_live_x' }, invalid('key'))).toContain('rotate');
    expect(await expectUnchanged(id, { name: 'x', environment: 'test' }, invalid('environment'))).toBe('cannot change');
    await expectUnchanged(id, { name: 'x', expiresAt: expired }, invalid('expiresAt'));
    await expectUnchanged(id, { name: 'x', createdAt: expired }, invalid('createdAt'));
    await expectUnchanged(id, { name: 'x', scopes: [] }, invalid('scopes'));
    await expectUnchanged(id, { name: 'x', limits: { burst: 0 } }, invalid('limits.burst'));
    await expectUnchanged(id, {}, invalid('body'));
  });

  test('gives no more than the caller has, to itself neither', async () => {
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

// The old mechanism: expiresAt was neither inherited nor compared, so a key of one hour made keys for ever.
describe('a key that expires', () => {
  test('makes keys that live no longer, its own end by default', async () => {
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

  test('changes, rotates and revokes no key that lives longer', async () => {
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

  test('rotated by another one goes on expiring when it did', async () => {
    const expiresAt = inHours(1);
    const { id } = keyOf(await create({ expiresAt }));
    expect((await edge.call({ method: 'POST', path: `${PATH}/${id}/rotate` })).json['expiresAt']).toBe(expiresAt);
  });

  test('is bounded by nothing on the command line', async () => {
    const made = await edge.apiKeys.operator.create({ environment: 'live', name: 'for ever', tier: 'enterprise' });
    expect(made.expiresAt).toBeUndefined();
  });
});

test('a key that was revoked a moment ago makes no other one in a process that still believes it', async () => {
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
