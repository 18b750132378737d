import { describe, expect, test } from '@jest/globals';
import { sharedCircuits } from '../../../test/support/world/shared-circuits.ts';
import { createLog } from '../../platform/log.ts';
import { type Admission, type Admitted, type TryResult, createAdmission, type Entry } from './admission.ts';

const signal = new AbortController().signal;

const DELIVERED: TryResult = { isDelivered: true };
const FAILED: TryResult = { isDelivered: false, error: { class: 'status', message: 'answered 500' } };

const answer = (status: number) => ({ status, headers: {}, body: '', latencyMs: 5 });

type Entered = Extract<Entry, { ok: true }>;
const entered = (passage: Pick<Entered, 'isProbe' | 'isLastChance'>): Entered => ({
  ok: true,
  leave: () => {},
  answered: () => {},
  ...passage,
});

function scene(processes = 1) {
  const clock = { now: 1_000_000 };
  const now = (): number => clock.now;
  const shared = sharedCircuits(now);
  const admissions = Array.from({ length: processes }, () =>
    createAdmission({
      now,
      rank: () => ({ at: processes - 1, of: processes, isNew: false }),
      circuits: shared.circuits,
      log: createLog('silent'),
    }),
  );
  /** The subscription as it would be read now. */
  const subscription = (id = 'sub'): Admitted => ({
    id,
    timeoutMs: 15_000,
    maxConcurrency: null,
    rateLimit: null,
    hasCircuitBreaker: true,
    circuitProbeInMs: shared.probeInMs(id),
    readAt: clock.now,
  });
  /** A complete attempt, if it is admitted. */
  const attempt = async (admission: Admission, isDelivered: boolean, id = 'sub'): Promise<Entry> => {
    clock.now += 1;
    const entry = await admission.admit(subscription(id), { patienceMs: 0, signal, isLastChance: false });
    if (entry.ok) {
      const observed = admission.observe(subscription(id), entry, isDelivered ? DELIVERED : FAILED);
      entry.leave();
      await observed;
    }
    return entry;
  };
  const fail = async (admission: Admission, count: number, id?: string): Promise<void> => {
    for (let n = 0; n < count; n += 1) await attempt(admission, false, id);
  };
  const [first, second] = admissions;
  if (first === undefined) throw new Error('a scene has a process');
  return { clock, shared, subscription, attempt, fail, first, second: second ?? first };
}

describe('a circuit', () => {
  test('opens with the twentieth failure, is reported once, and does not affect others', async () => {
    const { shared, fail, attempt, first, clock } = scene();
    await fail(first, 19);
    expect(shared.said).toEqual([]);
    await fail(first, 1);
    expect(shared.said).toEqual(['sub opened']);
    const openedAt = clock.now;
    expect(await attempt(first, true)).toEqual({ ok: false, inMs: openedAt + 30_000 - clock.now, reason: 'circuit' });
    expect(first.limitOf('sub')).toBe(0);
    expect([first.isOpen('sub'), first.isClosed('sub'), first.hasOpen()]).toEqual([true, false, true]);
    expect(await attempt(first, true, 'other')).toMatchObject({ ok: true, isProbe: false });
  });

  test('stays closed while more than a tenth of the attempts is delivered', async () => {
    const { shared, attempt, fail, first } = scene();
    for (let n = 0; n < 10; n += 1) {
      await attempt(first, true);
      await fail(first, 8);
    }
    expect(shared.said).toEqual([]);
  });

  test('allows one probe after 30 s; if it is delivered, the circuit closes and earlier failures no longer count', async () => {
    const { clock, shared, subscription, fail, attempt, first } = scene();
    await fail(first, 20);
    clock.now += 30_000;
    expect(first.limitOf('sub')).toBe(1);
    const probe = await first.admit(subscription(), { patienceMs: 0, signal, isLastChance: false });
    expect(probe).toMatchObject({ ok: true, isProbe: true });
    clock.now += 1;
    expect(await attempt(first, true)).toMatchObject({ ok: false, reason: 'circuit' });
    await first.observe(subscription(), entered({ isProbe: true, isLastChance: false }), DELIVERED);
    expect(shared.said).toEqual(['sub opened', 'sub closed']);
    await fail(first, 19);
    expect(await attempt(first, true)).toMatchObject({ ok: true, isProbe: false });
  });

  test('a failed probe keeps it open for another 30 s', async () => {
    const { clock, shared, fail, attempt, first } = scene();
    await fail(first, 20);
    clock.now += 30_000;
    expect(await attempt(first, false)).toMatchObject({ ok: true, isProbe: true });
    const failedAt = clock.now;
    expect(await attempt(first, true)).toEqual({ ok: false, inMs: failedAt + 30_000 - clock.now, reason: 'circuit' });
    clock.now += 30_000;
    expect(await attempt(first, true)).toMatchObject({ ok: true, isProbe: true });
    expect(shared.said).toEqual(['sub opened', 'sub closed']);
  });

  test('a probe that never ends is followed by another one after its timeout and 10 s', async () => {
    const { clock, subscription, fail, attempt, first } = scene();
    await fail(first, 20);
    clock.now += 30_000;
    const lost = await first.admit(subscription(), { patienceMs: 0, signal, isLastChance: false });
    if (lost.ok) lost.leave();
    const takenAt = clock.now;
    expect(await attempt(first, true)).toEqual({ ok: false, inMs: takenAt + 25_000 - clock.now, reason: 'circuit' });
    clock.now = takenAt + 25_000;
    expect(await attempt(first, true)).toMatchObject({ ok: true, isProbe: true });
  });

  test('an attempt in progress when it opened neither closes it nor counts', async () => {
    const { subscription, fail, attempt, first } = scene();
    const early = first.enter(subscription(), false);
    await fail(first, 20);
    if (early.ok) early.leave();
    await first.observe(subscription(), entered({ isProbe: false, isLastChance: false }), DELIVERED);
    expect(await attempt(first, true)).toMatchObject({ ok: false, reason: 'circuit' });
  });
});

describe('a final attempt', () => {
  const lastChance = { patienceMs: 0, signal, isLastChance: true };

  test('passes an open circuit, and its failure neither counts nor delays the probe', async () => {
    const { clock, shared, subscription, fail, attempt, first } = scene();
    await fail(first, 20);
    const probeInMs = shared.probeInMs('sub');
    const entry = await first.admit(subscription(), lastChance);
    expect(entry).toMatchObject({ ok: true, isProbe: false, isLastChance: true });
    expect(first.enter(subscription(), true)).toMatchObject({ ok: true, isProbe: false, isLastChance: true });
    if (entry.ok) await first.observe(subscription(), entry, FAILED);
    expect(shared.probeInMs('sub')).toBe(probeInMs);
    expect(await attempt(first, true)).toMatchObject({ ok: false, reason: 'circuit' });
    clock.now += 30_000;
    expect(await attempt(first, true)).toMatchObject({ ok: true, isProbe: true });
  });

  test('closes the circuit if it is delivered', async () => {
    const { shared, subscription, fail, attempt, first } = scene();
    await fail(first, 20);
    const entry = await first.admit(subscription(), lastChance);
    if (entry.ok) await first.observe(subscription(), entry, DELIVERED);
    expect(shared.said).toEqual(['sub opened', 'sub closed']);
    expect(await attempt(first, true)).toMatchObject({ ok: true, isProbe: false });
  });

  test('is the probe if one is due, and still a final attempt if another process was faster', async () => {
    const { clock, subscription, fail, attempt, first, second } = scene(2);
    await fail(first, 20);
    await attempt(second, true);
    clock.now += 30_000;
    const read = subscription();
    const both = await Promise.all([first.admit(read, lastChance), second.admit(read, lastChance)]);
    expect(both).toMatchObject([
      { ok: true, isProbe: true, isLastChance: false },
      { ok: true, isProbe: false, isLastChance: true },
    ]);
  });
});

test('a subscription without a circuit breaker can fail forever', async () => {
  const { shared, subscription, first } = scene();
  const exempt = { ...subscription(), hasCircuitBreaker: false };
  for (let n = 0; n < 40; n += 1) await first.observe(exempt, entered({ isProbe: false, isLastChance: false }), FAILED);
  expect(shared.said).toEqual([]);
  expect(first.enter(exempt, false)).toMatchObject({ ok: true, isProbe: false });
});

describe('two processes', () => {
  test('see the circuit of each other with the next delivery they read, both open and closed again', async () => {
    const { clock, fail, attempt, first, second } = scene(2);
    await attempt(second, true);
    await fail(first, 20);
    expect(await attempt(second, true)).toMatchObject({ ok: false, reason: 'circuit' });
    clock.now += 30_000;
    expect(await attempt(second, true)).toMatchObject({ ok: true, isProbe: true });
    expect(await attempt(first, true)).toMatchObject({ ok: true, isProbe: false });
  });

  test('send one probe together', async () => {
    const { clock, subscription, fail, attempt, first, second } = scene(2);
    await fail(first, 20);
    await attempt(second, true);
    clock.now += 30_000;
    const read = subscription();
    const both = await Promise.all([
      first.admit(read, { patienceMs: 0, signal, isLastChance: false }),
      second.admit(read, { patienceMs: 0, signal, isLastChance: false }),
    ]);
    expect(both.map((entry) => entry.ok)).toEqual([true, false]);
    expect(both[1]).toMatchObject({ reason: 'circuit', inMs: 25_000 });
  });

  test('are not misled by a row that was read before a circuit opened', async () => {
    const { subscription, fail, first } = scene();
    const old = subscription();
    await fail(first, 20);
    expect(first.enter(old, false)).toMatchObject({ ok: false, reason: 'circuit' });
    first.learn([{ subscriptionId: 'sub', circuitProbeInMs: null, readAt: old.readAt }]);
    expect(first.isOpen('sub')).toBe(true);
  });

  test('also see the circuit in rows that a claim has read', async () => {
    const { clock, fail, first } = scene();
    await fail(first, 20);
    first.learn([{ subscriptionId: 'sub', circuitProbeInMs: null, readAt: clock.now + 1 }]);
    expect([first.isOpen('sub'), first.limitOf('sub'), first.hasOpen()]).toEqual([false, 20, false]);
  });
});

test('an unknown subscription has no limits', () => {
  expect(scene().first.limitOf('unknown')).toBe(Number.POSITIVE_INFINITY);
});

test('limits apply to every way of entering, and a slot is released', async () => {
  const { subscription, first } = scene();
  const limited = { ...subscription(), maxConcurrency: 1 };
  const place = first.enter(limited, false);
  expect(place).toMatchObject({ ok: true, isProbe: false });
  expect(first.enter(limited, false)).toMatchObject({ ok: false, reason: 'concurrency' });
  const waiting = first.admit(limited, { patienceMs: 10_000, signal, isLastChance: false });
  if (place.ok) place.leave();
  expect(await waiting).toMatchObject({ ok: true });
});

describe('the load that a response indicates', () => {
  const places = (admission: Admission): number | undefined => admission.gauges()[0]?.limit;

  test.each<[string, TryResult, number]>([
    ['429 takes a tenth of the places in use', { isDelivered: false, response: answer(429) }, 18],
    ['two of 503 halve them', { isDelivered: false, response: answer(503) }, 10],
    ['two timeouts halve them', { isDelivered: false, error: { class: 'timeout', message: '' } }, 10],
    ['two failed connections halve them', { isDelivered: false, error: { class: 'connect', message: '' } }, 10],
    ['500 says nothing', { isDelivered: false, response: answer(500) }, 20],
    ['a bad certificate says nothing', { isDelivered: false, error: { class: 'tls', message: '' } }, 20],
  ])('%s', async (_, sent, limit) => {
    const { subscription, first } = scene();
    const all = Array.from({ length: 20 }, () => first.enter(subscription(), false));
    const some = sent.response?.status === 429 ? all.slice(0, 1) : all.slice(0, 2);
    for (const entry of some) if (entry.ok) await first.observe(subscription(), entry, sent);
    expect(places(first)).toBe(limit);
  });

  test('is reported while anything is in flight, and for a minute after the third attempt', async () => {
    const { clock, subscription, first } = scene();
    for (let n = 0; n < 3; n += 1) {
      expect(first.gauges()).toEqual([]);
      const entry = first.enter(subscription(), false);
      expect(first.gauges()).toMatchObject([{ subscriptionId: 'sub', limit: 20, inFlight: 1 }]);
      if (entry.ok) await first.observe(subscription(), entry, { isDelivered: true, answeredAfterMs: 120 });
      if (entry.ok) entry.leave();
    }
    expect(first.gauges()).toEqual([{ subscriptionId: 'sub', limit: 20, inFlight: 0, latencyMs: 120 }]);
    clock.now += 60_000;
    expect(first.gauges()).toEqual([]);
  });
});
