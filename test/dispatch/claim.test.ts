import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { policyEndsAt } from '../../src/kernel/contract/retry-policy.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { claimLastChances } from '../../src/delivery/record/statements/claim-last-chances.ts';
import { type ClaimedDelivery, describeHeld } from '../../src/delivery/record/statements/claim.ts';
import { createFirstTries } from '../../src/delivery/limits/first-tries.ts';
import { createDueRows, type DueRows } from '../../src/delivery/queue/loop/claims/due-rows.ts';
import { createStarts } from '../../src/delivery/queue/loop/hand-out/starts.ts';
import { createTakeOver, takeOverFromDead } from '../../src/delivery/queue/recovery/incarnation.ts';
import { settleHeld } from '../../src/delivery/queue/recovery/settle-held.ts';
import { circuitStandingOf, type HeldStanding } from '../../src/kernel/rules/circuit.ts';
import { createLog } from '../../src/platform/log.ts';
import { createChannel, createSubscription, publish, publishBatch } from '../support/make/factories.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { FINISHED, openLongSnapshot, pagesRead } from '../support/world/long-snapshot.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('claim', () => {
  /** A subscription with so many due deliveries. */
  async function waiting(count: number): Promise<string> {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
    await publishBatch(posthorn, channelId, count);
    return id;
  }

  /** Due rows as a worker knows them that has just looked. */
  async function looked(): Promise<DueRows> {
    const due = createDueRows({ pool: posthorn.deps.pool, incarnationId: 'inc_claiming' });
    await due.look();
    return due;
  }

  const claim = (due: DueRows, count: number, perSubscription = 2, except: string[] = []): Promise<ClaimedDelivery[]> =>
    due.claim('first', { count, perSubscription, except });

  const subscriptionsOf = (claimed: ClaimedDelivery[]): string[] => claimed.map(({ subscriptionId }) => subscriptionId);

  test('due deliveries are claimed in turns over the subscriptions, however many another one has waiting', async () => {
    const crowded = await waiting(100);
    const second = await waiting(3);
    const third = await waiting(1);
    const due = await looked();

    expect(subscriptionsOf(await claim(due, 2))).toEqual([crowded, crowded]);
    expect(subscriptionsOf(await claim(due, 6))).toEqual([crowded, crowded, second, second, third]);
    expect(subscriptionsOf(await claim(due, 6, 2, [crowded]))).toEqual([second]);
    expect([due.has('first', [crowded]), due.has('first')]).toEqual([false, true]);
    expect(await due.count(50)).toEqual(new Map([[crowded, 50]]));
  });

  test('two that claim at once never get the same delivery', async () => {
    await waiting(40);
    const workers = await Promise.all(Array.from({ length: 8 }, looked));

    const claims = await Promise.all(workers.map((due) => claim(due, 10, 10)));

    const ids = claims.flat().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(10);
    expect(new Set(ids).size).toBe(ids.length);
  });

  // More than two pages of a look, all of them due at the same moment.
  test('a broadcast to more subscriptions than one look reads reaches every one of them', async () => {
    const due = await looked();
    const { id: channelId } = await createChannel(posthorn);
    await posthorn.deps.pool.query(
      `INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, max_retries, initial_delay, max_delay,
       backoff_multiplier, updated_at)
     SELECT posthorn_id('sub'), c.environment_id, c.id, 'made by a test', 'http://127.0.0.1:4000/', '{}', 3, 1000, 1000, 1, now()
     FROM channels c CROSS JOIN generate_series(1, 2500) WHERE c.id = $1`,
      [channelId],
    );
    await publishBatch(posthorn, channelId, 1);

    due.expect();
    const ids = new Set<string>();
    for (let isMore = true; isMore; ) {
      isMore = await due.look();
      for (;;) {
        const claimed = await claim(due, 1_000);
        if (claimed.length === 0 && !due.has('first')) break;
        for (const delivery of claimed) if (delivery.channelId === channelId) ids.add(delivery.subscriptionId);
      }
    }

    expect(ids.size).toBe(2_500);
  });
});

describe('carriers', () => {
  const WORKER = 'inc_of_this_test';

  /** A new delivery that this test holds, as a worker does. */
  async function claimOne() {
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const { id: messageId } = await publish(posthorn, channelId);
    const { rows } = await posthorn.deps.pool.query<{ id: string }>(
      'UPDATE deliveries SET holder = $2 WHERE message_id = $1 RETURNING id',
      [messageId, WORKER],
    );
    const [delivery] = await describeHeld(posthorn.deps.pool, [rows[0]?.id ?? ''], WORKER);
    if (delivery === undefined) throw new Error('The delivery is not held');
    return delivery;
  }

  test.each([
    ['a quick try writes its delivery once, by its record', true, { holder: WORKER, carrier: null }],
    ['a slow one shows its carrier meanwhile', false, { holder: null, carrier: 'delivery/1' }],
  ])('%s', async (_, isOver, expected) => {
    const delivery = await claimOne();
    const firstTries = createFirstTries({
      now: () => performance.now(),
      onRoom: () => {},
      admission: { limitOf: () => 1, isClosed: () => true },
      slots: 10,
    });
    const starts = createStarts({
      pool: posthorn.deps.pool,
      log: createLog('silent'),
      incarnationId: WORKER,
      firstTries,
      async startDelivery() {
        firstTries.begin(delivery.id);
        if (isOver) firstTries.end(delivery.id);
        return 'delivery/1';
      },
      onFailure(error) {
        throw error;
      },
      isOver: () => false,
    });
    firstTries.start(delivery.id, delivery.subscriptionId);
    await starts.start(delivery);
    const { rows } = await posthorn.deps.pool.query('SELECT holder, carrier FROM deliveries WHERE id = $1', [
      delivery.id,
    ]);
    expect(rows).toEqual([expected]);
  });

  test('a delivery whose start was not answered is held by its worker until a start is, and then carried by that workflow', async () => {
    const delivery = await claimOne();
    const holders: unknown[] = [];
    const read = async () =>
      (await posthorn.deps.pool.query('SELECT holder, carrier FROM deliveries WHERE id = $1', [delivery.id])).rows[0];
    const failures: unknown[] = [];
    const starts = createStarts({
      pool: posthorn.deps.pool,
      log: createLog('silent'),
      incarnationId: WORKER,
      firstTries: { isSlow: () => false, isUnderWay: () => false, end: () => undefined },
      async startDelivery() {
        holders.push(await read());
        if (holders.length === 1) throw Object.assign(new Error('the connection broke'), { code: 14 });
        return 'delivery/1';
      },
      onFailure: (error) => failures.push(error),
      isOver: () => false,
    });
    await starts.start(delivery);
    expect(failures).toHaveLength(1);
    expect(holders).toEqual([
      { holder: WORKER, carrier: null },
      { holder: WORKER, carrier: null },
    ]);
    expect(await read()).toEqual({ holder: null, carrier: 'delivery/1' });
  });
});

describe('take over', () => {
  // One session, so that its share of the statistics is that of the test.
  let pool: Pool;
  let closeSnapshot: () => Promise<void>;
  beforeAll(async () => {
    closeSnapshot = await openLongSnapshot(posthorn);
    pool = createPool(posthorn.database.url, { max: 1, ...PATIENT });
  });
  afterAll(async () => {
    await closeSnapshot();
    await pool.end();
  });

  const dies = (id: string): Promise<unknown> =>
    posthorn.deps.pool.query(
      `INSERT INTO incarnations (id, expires_at) VALUES ($1, now() - interval '1 second')
     ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
      [id],
    );
  const holds = (id: string): Promise<unknown> =>
    posthorn.deps.pool.query(
      `UPDATE deliveries SET holder = $1 WHERE id = (SELECT id FROM deliveries WHERE due_at IS NOT NULL AND holder IS NULL LIMIT 1)`,
      [id],
    );

  // Old: every two seconds each worker walked over the index entries of all that had been held since the snapshot.
  test(`looking after dead workers reads nothing while none has died, though ${FINISHED} deliveries were held under a snapshot`, async () => {
    const takeOver = createTakeOver(pool);
    await takeOver();

    // PostgreSQL counts some seconds later what other sessions have read. Looks that read would change the count each time.
    await waitFor('ten looks that read nothing', async () => {
      const before = await pagesRead(pool);
      for (let time = 0; time < 10; time += 1) expect(await takeOver()).toBe(0);
      return (await pagesRead(pool)) === before;
    });
  });

  // Old: a look at a time counted no takeover, so that a delivery which kills its workers went on to do so.
  test('claims of a dead worker are freed and counted, also those of one that comes to life and dies again', async () => {
    const takeOver = createTakeOver(pool);
    await dies('inc_first');
    await holds('inc_first');
    expect(await takeOver()).toBe(1);
    // The worker had committed this claim just before it died for good.
    await holds('inc_first');
    await dies('inc_first');
    expect(await takeOver()).toBe(1);
    expect(await takeOver()).toBe(0);
    const { rows } = await pool.query<{ count: number }>('SELECT sum(takeovers)::int AS count FROM deliveries');
    expect(rows).toEqual([{ count: 2 }]);
  });

  // Old: after an outage of PostgreSQL the first worker to come back took the claims of the others, who went on to send as well.
  test.each([
    ['by its leases', (isRecent: () => boolean) => createTakeOver(pool, { isRecent })],
    ['by its claims', (isRecent: () => boolean) => () => takeOverFromDead(pool, { isRecent })],
  ])(
    'a worker whose own lease has lapsed lets others renew theirs before it calls one dead: %s',
    async (name, make) => {
      const id = `inc_away ${name}`;
      let isRecent = true;
      const takeOver = make(() => isRecent);
      await dies(id);
      await holds(id);
      expect(await takeOver()).toBe(0);
      isRecent = false;
      expect(await takeOver()).toBe(1);
    },
  );
});

describe('settle held', () => {
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
});
