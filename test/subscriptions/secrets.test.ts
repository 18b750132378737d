import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannelBody } from '../../src/channels/schema.ts';
import {
  createSubscriptionBody,
  listSubscriptionsQuery,
  rotateSecretBody,
  type Subscription,
} from '../../src/subscriptions/schema.ts';
import { openSigningSecret, secretContext } from '../../src/credentials/signing-secret.ts';
import { type Resources, startResources } from '../support/make/resources.ts';
import { NO_SUBSCRIPTION } from '../support/make/subscription-calls.ts';

const HOUR_MS = 3_600_000;

let resources: Resources;
let subscription: Subscription;
beforeAll(async () => {
  resources = await startResources();
});
afterAll(() => resources.stop());
beforeEach(async () => {
  const { live, channels, subscriptions } = resources;
  const { id: channelId } = await channels.create(live, createChannelBody.parse({ name: 'orders' }));
  const body = createSubscriptionBody.parse({ channelId, webhookUrl: 'https://example.com/hook' });
  subscription = await subscriptions.create(live, body);
});

const secretNow = async (caller = resources.live): Promise<string> =>
  (await resources.subscriptions.secret(caller, subscription.id)).secret;
const rotate = async (body?: object, caller = resources.live): Promise<string> =>
  (await resources.subscriptions.rotateSecret(caller, subscription.id, rotateSecretBody.parse(body))).secret;
const rows = (subscriptionId = subscription.id) =>
  resources.db.subscriptionSecret.findMany({ where: { subscriptionId }, orderBy: { id: 'desc' } });
/** The secrets an attempt would sign with now, newest first. */
const signingSecrets = async (): Promise<string[]> =>
  (await rows())
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > resources.now())
    .map((row) => openSigningSecret(resources.keyRing, row));

describe('the secret of a subscription', () => {
  test('is there from the start, 32 random bytes, another one for each subscription', async () => {
    const secret = await secretNow();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secretNow()).toBe(secret);
    const other = await resources.subscriptions.create(
      resources.live,
      createSubscriptionBody.parse({ channelId: subscription.channelId, webhookUrl: 'https://example.com/hook' }),
    );
    expect((await resources.subscriptions.secret(resources.live, other.id)).secret).not.toBe(secret);
  });

  test('may be the one that its receiver has already, when it is made and when it is rotated', async () => {
    const { subscriptions, live } = resources;
    const own = ['one', 'two'].map((text) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`);
    const moved = await subscriptions.create(
      live,
      createSubscriptionBody.parse({
        channelId: subscription.channelId,
        webhookUrl: 'https://example.com/hook',
        secret: own[0],
      }),
    );
    expect((await subscriptions.secret(live, moved.id)).secret).toBe(own[0]);
    expect(await rotate({ secret: own[1], overlapHours: 0 })).toBe(own[1]);
    expect(await signingSecrets()).toEqual([own[1]]);
    const entries = await resources.db.auditEntry.findMany({
      where: { targetId: { in: [moved.id, subscription.id] } },
    });
    expect(JSON.stringify(entries)).toContain('hasOwnSecret');
    for (const secret of own) expect(JSON.stringify(entries)).not.toContain(secret);
    for (const refused of ['whsec_short', own[0]?.slice(6), ''])
      expect(createSubscriptionBody.safeParse({ channelId: 'x', webhookUrl: 'y', secret: refused }).success).toBe(
        false,
      );
  });

  test('is stored sealed, bound to its row', async () => {
    const secret = await secretNow();
    const [row, ...more] = await rows();
    expect(more).toEqual([]);
    if (row === undefined) throw new Error('one secret expected');
    expect(row).toMatchObject({ expiresAt: null, ciphertext: expect.stringMatching(/^v1\.test\./) });
    expect(row.ciphertext).not.toContain(secret.slice('whsec_'.length));
    expect(resources.keyRing.decrypt(row.ciphertext, secretContext(row.id))).toBe(secret);
  });

  // Old: what did not open was a 500, and nothing said that rotating mends it.
  test('does not open in another row: CONFLICT says to rotate it, and rotating works', async () => {
    const before = await secretNow();
    await rotate();
    const [current, old] = await rows();
    if (current === undefined || old === undefined) throw new Error('two secrets expected');
    await resources.db.subscriptionSecret.update({
      where: { id: current.id },
      data: { ciphertext: old.ciphertext },
    });
    await expect(secretNow()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The signing secret of this subscription cannot be opened; rotate it to get a new one',
      cause: expect.objectContaining({ message: expect.stringContaining('does not open') }),
    });
    await expect(secretNow()).rejects.not.toThrow(before);
    const fresh = await rotate();
    expect(await secretNow()).toBe(fresh);
  });

  test('that was given up with its key is CONFLICT too, until it is rotated', async () => {
    await resources.db.subscriptionSecret.deleteMany({ where: { subscriptionId: subscription.id } });
    await expect(secretNow()).rejects.toMatchObject({ code: 'CONFLICT' });
    const fresh = await rotate();
    expect(await secretNow()).toBe(fresh);
  });

  test('is in no resource and no list', async () => {
    const { live, subscriptions } = resources;
    const shown = JSON.stringify([
      subscription,
      await subscriptions.get(live, subscription.id),
      await subscriptions.list(live, listSubscriptionsQuery.parse({})),
      await subscriptions.update(live, subscription.id, { name: 'x' }),
      await subscriptions.pause(live, subscription.id),
    ]);
    expect(shown).not.toMatch(/secret|whsec_|ciphertext/i);
  });

  test('is NOT_FOUND from another environment, and after deletion', async () => {
    const before = await rows();
    await expect(secretNow(resources.test)).rejects.toMatchObject(NO_SUBSCRIPTION);
    await expect(rotate({}, resources.test)).rejects.toMatchObject(NO_SUBSCRIPTION);
    expect(await rows()).toStrictEqual(before);
    await resources.subscriptions.delete(resources.live, subscription.id);
    await expect(secretNow()).rejects.toMatchObject(NO_SUBSCRIPTION);
    await expect(rotate()).rejects.toMatchObject(NO_SUBSCRIPTION);
    expect(await rows()).toStrictEqual(before);
  });

  test.each(['sub_\u0000', 'nonsense', `sub_${'0'.repeat(26)}`])('is missing for the id %j', async (id) => {
    const { live, subscriptions } = resources;
    await expect(subscriptions.secret(live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
    await expect(subscriptions.rotateSecret(live, id, { overlapHours: 0 })).rejects.toMatchObject(NO_SUBSCRIPTION);
  });
});

describe('rotating the secret', () => {
  test('makes the new one current and lets the old one sign beside it for 24 hours', async () => {
    const old = await secretNow();
    const rotatedAt = resources.now().getTime();
    const fresh = await rotate();
    expect(fresh).not.toBe(old);
    expect(await secretNow()).toBe(fresh);
    expect(await signingSecrets()).toEqual([fresh, old]);
    const expiresAt = (await rows())[1]?.expiresAt?.getTime() ?? 0;
    expect(expiresAt - rotatedAt).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(expiresAt - rotatedAt).toBeLessThan(24 * HOUR_MS + 60_000);
    // Both answers say until when the old one signs, and not which it is.
    const shown = await resources.subscriptions.secret(resources.live, subscription.id);
    expect(shown.older).toEqual([{ createdAt: (await rows())[1]?.createdAt, expiresAt: new Date(expiresAt) }]);
    expect(shown.createdAt).toEqual((await rows())[0]?.createdAt);
    const again = await resources.subscriptions.rotateSecret(resources.live, subscription.id, { overlapHours: 1 });
    expect(again.older.map((old) => old.createdAt)).toEqual([shown.createdAt, shown.older[0]?.createdAt]);
    expect(again.older.every((old) => old.expiresAt < new Date(expiresAt))).toBe(true);
    expect(JSON.stringify(again.older)).not.toContain('whsec_');
    resources.advance(25 * HOUR_MS);
    expect(await signingSecrets()).toEqual([again.secret]);
    expect((await resources.subscriptions.secret(resources.live, subscription.id)).older).toEqual([]);
  });

  test('leaves the subscription itself, and the secrets of others, as they were', async () => {
    const other = await resources.subscriptions.create(
      resources.live,
      createSubscriptionBody.parse({ channelId: subscription.channelId, webhookUrl: 'https://example.com/hook' }),
    );
    const before = await rows(other.id);
    await rotate({ overlapHours: 0 });
    expect(await resources.subscriptions.get(resources.live, subscription.id)).toStrictEqual(subscription);
    expect(await rows(other.id)).toStrictEqual(before);
  });

  test('with an overlap of 0 removes every old one at once, key material and all', async () => {
    await rotate({ overlapHours: 168 });
    await rotate({ overlapHours: 168 });
    const fresh = await rotate({ overlapHours: 0 });
    expect(await signingSecrets()).toEqual([fresh]);
    expect(await rows()).toHaveLength(1);
  });

  test('never lets an older one outlive the overlap that was asked for last', async () => {
    const first = await secretNow();
    const second = await rotate({ overlapHours: 168 });
    const third = await rotate({ overlapHours: 1 });
    expect(await signingSecrets()).toEqual([third, second, first]);
    resources.advance(2 * HOUR_MS);
    expect(await signingSecrets()).toEqual([third]);
  });

  test('does not lengthen the life of an older one', async () => {
    await secretNow();
    const second = await rotate({ overlapHours: 1 });
    const third = await rotate({ overlapHours: 168 });
    resources.advance(2 * HOUR_MS);
    expect(await signingSecrets()).toEqual([third, second]);
  });

  // Old: the oldest one ended at the fourth rotation, days before the time that its rotation had told.
  test('is CONFLICT where three old ones sign still, which go on until their time', async () => {
    const secrets = [await secretNow()];
    for (const overlapHours of [2, 168, 168]) secrets.unshift(await rotate({ overlapHours }));
    const { older } = await resources.subscriptions.secret(resources.live, subscription.id);
    const first = older.at(-1);
    const before = await rows();
    const refusal = {
      code: 'CONFLICT',
      message: `3 older secrets are still valid beside the current one, and no more may be. The one made at ${first?.createdAt.toISOString()} is valid until ${first?.expiresAt.toISOString()}: rotate after that, or with overlapHours 0, which ends all older secrets now`,
    };
    for (const overlapHours of [1, 168]) await expect(rotate({ overlapHours })).rejects.toMatchObject(refusal);
    expect(await rows()).toStrictEqual(before);
    expect(await signingSecrets()).toEqual(secrets);
    resources.advance(3 * HOUR_MS);
    secrets.unshift(await rotate({ overlapHours: 168 }));
    expect(await signingSecrets()).toEqual(secrets.slice(0, 4));
    const last = await rotate({ overlapHours: 0 });
    expect(await signingSecrets()).toEqual([last]);
  });

  test('removes what has run out', async () => {
    await rotate({ overlapHours: 1 });
    resources.advance(2 * HOUR_MS);
    await rotate({ overlapHours: 1 });
    expect(await rows()).toHaveLength(2);
  });

  test('many times at once leaves exactly one current secret, which is one that was handed out', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 6 }, () => rotate()));
    const handedOut = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(new Set(handedOut).size).toBe(3);
    const stored = await rows();
    expect(stored.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1);
    expect(stored).toHaveLength(4);
    expect(handedOut).toContain(await secretNow());
  });

  test('while it is patched loses neither', async () => {
    const [fresh] = await Promise.all([
      rotate(),
      resources.subscriptions.update(resources.live, subscription.id, { name: 'renamed' }),
    ]);
    expect(await secretNow()).toBe(fresh);
    expect(await resources.subscriptions.get(resources.live, subscription.id)).toHaveProperty('name', 'renamed');
  });
});
