import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../../src/db/client.ts';
import { createNewId } from '../../src/new-id.ts';
import { API_KEYS_PATH, apiKeyCalls, keyOf } from '../support/make/api-key-calls.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';
import { expectRefused } from '../support/check/edge-answers.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';
import { PATIENT } from '../support/service/patience.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
});
afterAll(() => edge.stop());

const PATH = API_KEYS_PATH;

const { create, one, isAccepted } = apiKeyCalls(() => edge);

describe('authentication', () => {
  test('refuses a key that has expired, from that moment on', async () => {
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

  test('refuses a key under the prefix of the other environment', async () => {
    const { key } = keyOf(await create());
    expect(await isAccepted(key.replace('svc_live_', 'svc_test_'))).toBe(false);
  });

  test('accepts a new key at once, although it was tried before it existed', async () => {
    const key = `svc_live_${'7'.repeat(43)}`;
    expect(await isAccepted(key)).toBe(false);
    const { id } = keyOf(await create());
    await edge.database.db.apiKey.update({ where: { id }, data: { hash: createHash('sha256').update(key).digest() } });
    expect(await isAccepted(key)).toBe(true);
  });

  test('in another process follows a revocation within 5 seconds', async () => {
    const db = createDatabase(edge.database.url, PATIENT);
    let now = Date.now();
    // `as`: as much of a logger as is called.
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

  test('notes lastUsedAt, at most once a minute', async () => {
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

  test('notes with it the address that the request came from', async () => {
    const { id, key } = keyOf(await create());
    const shown = async (): Promise<unknown> => {
      await edge.apiKeys.settled();
      return (await one(id)).json['lastUsedAddress'];
    };
    expect(await shown()).toBeUndefined();
    await edge.call({ key });
    expect(await shown()).toBe('127.0.0.1');
    // Nobody in front is believed here.
    edge.advance(61_000);
    await edge.call({ key, headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(await shown()).toBe('127.0.0.1');
    edge.advance(-61_000);
  });

  test('goes on with remembered keys while PostgreSQL is away for a moment', async () => {
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
