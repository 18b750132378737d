import { describe, expect, test } from '@jest/globals';
import { createFirstTries } from './first-tries.ts';

function scene({ slots = 100, limit = 20 }: { slots?: number; limit?: number } = {}) {
  const clock = { now: 0 };
  const tries = createFirstTries({
    now: () => clock.now,
    onRoom: () => {},
    admission: { limitOf: () => limit, isClosed: () => true },
    slots,
  });
  const begin = (count: number, subscriptionId = 'sub', from = 0): void => {
    for (let n = from; n < from + count; n += 1) {
      tries.start(`${subscriptionId} ${n}`, subscriptionId);
      tries.begin(`${subscriptionId} ${n}`);
    }
  };
  return { clock, tries, begin };
}

describe('starts', () => {
  test('are few at a time, and attempts that wait for a response do not count', () => {
    const { tries, begin } = scene();
    begin(15);
    expect([tries.room(), tries.roomOf('sub')]).toEqual([6, 5]);
    for (let n = 0; n < 6; n += 1) tries.start(`other ${n}`, 'other');
    expect([tries.room(), tries.roomOf('other')]).toEqual([0, 0]);
    expect(tries.roomOf('sub')).toBe(5);
    tries.begin('other 0');
    expect(tries.room()).toBe(1);
  });

  test("that are never reported again are dropped after a second, and free their subscription's slot after ten", () => {
    const { clock, tries } = scene({ limit: 6 });
    for (let n = 0; n < 6; n += 1) tries.start(`lost ${n}`, 'sub');
    clock.now = 1_000;
    expect([tries.room(), tries.roomOf('sub')]).toEqual([6, 0]);
    clock.now = 10_000;
    // Nothing else is started: a worker whose subscriptions all wait like this one must recover by itself.
    expect([tries.room(), tries.roomOf('sub')]).toEqual([6, 6]);
  });

  test('whose attempts began but never ended free their slots after 45 seconds', () => {
    const { clock, tries, begin } = scene({ limit: 6 });
    begin(6);
    clock.now = 44_999;
    expect([tries.room(), tries.roomOf('sub')]).toEqual([6, 0]);
    clock.now = 45_000;
    expect([tries.room(), tries.roomOf('sub')]).toEqual([6, 6]);
  });

  test('leave as many slots free as one subscription has', () => {
    const { tries, begin } = scene({ slots: 30, limit: 1_000 });
    begin(15);
    expect([tries.roomOf('sub'), tries.roomOf('other')]).toEqual([0, 6]);
    begin(8, 'other');
    expect([tries.roomOf('other'), tries.roomOf('third'), tries.room()]).toEqual([0, 6, 6]);
    tries.end('sub 3');
    expect(tries.roomOf('sub')).toBe(0);
    expect(tries.stuck({ countInto: (counts) => counts.set('sub', 9).set('third', 1) })).toEqual({
      ids: ['sub', 'other'],
      held: 9,
    });
  });
});

describe('a slow subscription', () => {
  test('has an attempt that is open for more than two seconds', () => {
    const { clock, tries, begin } = scene();
    begin(1);
    clock.now = 2_000;
    expect(tries.isSlow('sub')).toBe(false);
    begin(1, 'sub', 1);
    clock.now = 2_001;
    expect(tries.isSlow('sub')).toBe(true);
    tries.end('sub 0');
    expect(tries.isSlow('sub')).toBe(false);
  });

  test('or two slow ones among its last twenty', () => {
    const { tries } = scene();
    for (const ms of [1_900, 2_001, 1_999]) tries.observe('sub', ms);
    expect(tries.isSlow('sub')).toBe(false);
    tries.observe('sub', 5_000);
    expect([tries.isSlow('sub'), tries.isSlow('other')]).toEqual([true, false]);
    for (let n = 0; n < 19; n += 1) tries.observe('sub', 100);
    expect(tries.isSlow('sub')).toBe(false);
  });
});
