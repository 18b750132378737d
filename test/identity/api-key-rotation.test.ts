import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiKeys } from '../../src/identity/api-keys/service.ts';
import { API_KEYS_PATH as PATH, apiKeyCalls, type KeyJson, keyOf } from '../support/make/api-key-calls.ts';
import { expectRefused } from '../support/check/edge-answers.ts';
import { type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
});
afterAll(() => edge.stop());

const { create, one, isAccepted } = apiKeyCalls(() => edge);
const WEEK_SECONDS = 604_800;

const rotate = (id: string, body?: object, key = edge.key): Promise<EdgeAnswer> =>
  edge.call({ method: 'POST', path: `${PATH}/${id}/rotate`, key, ...(body !== undefined && { body }) });
// `as`: a text where there is one.
const previousEnd = (answer: EdgeAnswer): string | undefined =>
  (answer.json as { previousKeyExpiresAt?: string }).previousKeyExpiresAt;

/** A process of its own, at a time of its own. */
async function at(time: () => number, work: (other: ApiKeys) => Promise<void>): Promise<void> {
  const { db, tenants } = edge.database;
  // `as`: as much of a logger as is called.
  const log = { warn: () => undefined } as never;
  const other = apiKeysOf({ db, tenants, clock: () => new Date(time()), newId: () => '', log });
  await work(other);
  await other.settled();
}

describe('rotating a key', () => {
  test('ends the old one at once, unless an overlap is asked for', async () => {
    for (const body of [undefined, {}, { overlapSeconds: 0 }]) {
      const old = keyOf(await create());
      const rotated = await rotate(old.id, body);
      expect([rotated.status, previousEnd(rotated)]).toEqual([200, undefined]);
      expect(await isAccepted(old.key)).toBe(false);
      expect(await isAccepted(keyOf(rotated).key)).toBe(true);
    }
  });

  test('with an overlap takes both until it ends, and shows when that is', async () => {
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
        // Although it is believed still.
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

  test('leaves the old one no right to make, rotate or revoke keys: it could keep itself alive', async () => {
    const old = keyOf(await create());
    const { key } = keyOf(await rotate(old.id, { overlapSeconds: 60 }));
    const refused = { status: 403, code: 'FORBIDDEN' };
    const path = `${PATH}/${old.id}/rotate`;
    const body = { overlapSeconds: WEEK_SECONDS };
    await expectRefused(edge, { method: 'POST', path, key: old.key, body }, refused);
    await expectRefused(edge, { method: 'POST', path: PATH, key: old.key, body: { name: 'x' } }, refused);
    expect((await rotate(old.id, body, key)).status).toBe(200);
  });

  test('and revoking it, or its end, ends both', async () => {
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

  test.each([-1, 1.5, WEEK_SECONDS + 1, '60'])('takes no overlap of %j seconds', async (overlapSeconds) => {
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
