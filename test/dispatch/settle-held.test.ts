import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { claimLastChances } from '../../src/deliveries/statements/claim-last-chances.ts';
import { settleHeld } from '../../src/dispatch/recovery/settle-held.ts';
import { type HeldStanding, circuitStandingOf } from '../../src/kernel/rules/held-by-circuit.ts';
import { policyEndsAt } from '../../src/contract/retry-policy.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const MINUTE = 60_000;
const failedAt = new Date();
const ago = (minutes: number): Date => new Date(failedAt.getTime() - minutes * MINUTE);

/** A subscription with so many deliveries, whose circuit is open behind a probe that failed at `failedAt`. */
async function held(count: number, fields: { resumedAt?: Date; hasProbeFailed?: boolean } = {}): Promise<string> {
  const { id: channelId } = await createChannel(posthorn);
  const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/', timeoutMs: 30_000 };
  const { id } = await createSubscription(posthorn, target);
  for (let made = 0; made < count; made += 100) await publishBatch(posthorn, channelId, Math.min(100, count - made));
  const { hasProbeFailed = true, ...data } = fields;
  const circuit = { circuitOpenedAt: failedAt, circuitProbeAt: new Date(failedAt.getTime() + 30_000) };
  await posthorn.deps.db.subscription.update({
    where: { id },
    data: { ...circuit, ...data, circuitProbeFailedAt: hasProbeFailed ? failedAt : null },
  });
  return id;
}

const deliveriesOf = (subscriptionId: string) =>
  posthorn.deps.db.delivery.findMany({ where: { subscriptionId }, orderBy: { id: 'asc' } });

/** Their policies, of a minute, ended an hour ago. */
const endPolicies = (subscriptionId: string): Promise<unknown> =>
  posthorn.deps.db.delivery.updateMany({
    where: { subscriptionId },
    data: { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, policyStartedAt: ago(62), dueAt: ago(62) },
  });

describe('behind a probe that failed', () => {
  test.each<[string, Date | undefined]>([
    ['never resumed', undefined],
    ['resumed 25 minutes before', ago(25)],
  ])('PostgreSQL settles what is held as standingOf says: %s', async (_, resumedAt) => {
    const subscriptionId = await held(240, resumedAt === undefined ? {} : { resumedAt });
    const expected = new Map<string, HeldStanding>();
    for (const [n, { id }] of (await deliveriesOf(subscriptionId)).entries()) {
      // Policies of 1, 10.5, 21 and 31.5 minutes; begun 0 to 47 minutes before; tried or not; due now or in 2 minutes.
      const policy = {
        maxRetries: [0, 1, 2, 3][n % 4] ?? 0,
        initialDelay: 9.5 * MINUTE,
        maxDelay: 9.5 * MINUTE,
        backoffMultiplier: 1,
      };
      const row = { policyStartedAt: ago(n % 48), dueAt: ago(n % 5 === 0 ? -2 : 0), policyAttempts: n % 3 };
      await posthorn.deps.db.delivery.update({ where: { id }, data: { ...policy, ...row } });
      const startedAt = resumedAt !== undefined && resumedAt > row.policyStartedAt ? resumedAt : row.policyStartedAt;
      const ends = { ...row, policyEndsAt: policyEndsAt(policy, startedAt, 30_000) };
      expected.set(id, circuitStandingOf(ends, { probeFailedAt: failedAt }));
    }
    expect(new Set(expected.values()).size).toBe(3);

    await settleHeld(posthorn.deps.pool);

    const found = (await deliveriesOf(subscriptionId)).map((row): [string, HeldStanding] => [
      row.id,
      row.status === 'failed' ? 'givenUp' : row.lastChanceUntil === null ? 'waits' : 'lastChance',
    ]);
    expect(found.filter(([id, standing]) => expected.get(id) !== standing)).toEqual([]);
    const letters = await posthorn.deps.db.deadLetter.count({ where: { subscriptionId, reason: 'circuit' } });
    expect(letters).toBe(found.filter(([, standing]) => standing === 'givenUp').length);
  });

  test('600 at most get in line for their last chance, a minute of them, and the next ones with the next probe', async () => {
    const subscriptionId = await held(700);
    await endPolicies(subscriptionId);
    expect(await settleHeld(posthorn.deps.pool)).toEqual({ ended: 0, lastChances: 600 });
    // One probe's consequences are drawn once.
    expect(await settleHeld(posthorn.deps.pool)).toEqual({ ended: 0, lastChances: 0 });
    await posthorn.deps.db.subscription.update({
      where: { id: subscriptionId },
      data: { circuitProbeFailedAt: new Date() },
    });
    expect(await settleHeld(posthorn.deps.pool)).toEqual({ ended: 0, lastChances: 0 });
  });

  test('nothing is settled before the first probe has failed', async () => {
    const subscriptionId = await held(1, { hasProbeFailed: false });
    await endPolicies(subscriptionId);
    expect(await settleHeld(posthorn.deps.pool)).toEqual({ ended: 0, lastChances: 0 });
  });
});

test('four last chances of a subscription are claimed at a time, ten a second, however many workers claim at once', async () => {
  const subscriptionId = await held(20);
  await endPolicies(subscriptionId);
  await settleHeld(posthorn.deps.pool);
  const { delivery, subscription } = posthorn.deps.db;
  /** Claimed of it by eight workers at once. */
  const claimed = async (): Promise<number> => {
    const claims = Array.from({ length: 8 }, (_, n) =>
      claimLastChances(posthorn.deps.pool, { incarnationId: `inc_${n}`, count: 100 }),
    );
    return (await Promise.all(claims)).flatMap(({ claimed }) =>
      claimed.filter((each) => each.subscriptionId === subscriptionId),
    ).length;
  };
  const nextAt = (nextLastChanceAt: Date): Promise<unknown> =>
    subscription.update({ where: { id: subscriptionId }, data: { nextLastChanceAt } });
  const endClaimed = async (): Promise<number> => {
    const where = { subscriptionId, holder: { not: null } };
    return (await delivery.updateMany({ where, data: { holder: null, dueAt: null, status: 'failed' } })).count;
  };

  // Its turn, and the one that was missed.
  await claimed();
  await nextAt(ago(1));
  await claimed();
  await nextAt(ago(1));
  expect(await claimed()).toBe(0);
  // As long as four are under way nobody gets another one, whatever the time.
  expect(await endClaimed()).toBe(4);
  // The next one has its turn later.
  await nextAt(ago(-60));
  expect(await claimed()).toBe(0);
  await nextAt(ago(1));
  expect(await claimed()).toBeGreaterThanOrEqual(2);
});
