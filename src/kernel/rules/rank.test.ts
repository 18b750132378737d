import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextTurnInMs, type Rank, shareOf } from './rank.ts';

const EVERY_MS = 500;
const ranks = (of: number): Rank[] => Array.from({ length: of }, (_, at) => ({ at, of, isNew: false }));

/** The times of looks that these processes make until `untilMs`, in order; each begins at a time of its own. */
function looksOf(processes: readonly Rank[], startsMs: readonly number[], untilMs: number): number[] {
  const times = processes.flatMap((rank, n) => {
    const own: number[] = [];
    for (let at = startsMs[n] ?? 0; at < untilMs; at += nextTurnInMs(rank, at, EVERY_MS)) own.push(at);
    return own.slice(1);
  });
  return times.toSorted((one, other) => one - other);
}

/** The longest time without a look, once every process has had a turn. */
function longestGap(times: readonly number[]): number {
  const settled = times.filter((at) => at >= 8 * EVERY_MS);
  return Math.max(...settled.slice(1).map((at, n) => at - (settled[n] ?? 0)));
}

const starts = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 9, maxLength: 9 });

describe('processes that take turns', () => {
  test.each([1, 2, 3, 4])('%i of them scan as often as one, wherever they begin', (of) => {
    fc.assert(
      fc.property(starts, (startsMs) => {
        const times = looksOf(ranks(of), startsMs, 60_000).filter((at) => at >= 10_000);
        expect(times).toHaveLength(100);
        expect(longestGap(times)).toBe(EVERY_MS);
      }),
    );
  });

  test.each([5, 8, 9])('%i of them scan as often as four, at least one in every turn', (of) => {
    fc.assert(
      fc.property(starts, (startsMs) => {
        expect(longestGap(looksOf(ranks(of), startsMs, 60_000))).toBeLessThanOrEqual(EVERY_MS);
      }),
    );
  });

  test('a scan is missed if its process has died, and any one that is left scans within four turns', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(), starts, (of, pick, startsMs) => {
        const [left] = ranks(of).slice(pick % of);
        const gap = longestGap(looksOf(left === undefined ? [] : [left], startsMs, 60_000));
        expect(gap).toBeLessThanOrEqual(Math.min(of, 4) * EVERY_MS);
      }),
    );
  });

  test('one that wakes some ms early, or whose clock is corrected by as much, does not scan twice', () => {
    for (const early of [0, 1, 5, 20]) {
      const inMs = nextTurnInMs({ at: 1, of: 2, isNew: false }, 500 - early, EVERY_MS);
      expect(inMs).toBe(1_000 + early);
    }
  });
});

describe('the shares of a limit', () => {
  test('divide five slots into 3 + 2, and give one to each if there are not enough', () => {
    expect(ranks(2).map((rank) => shareOf(5, rank))).toEqual([3, 2]);
    expect(ranks(3).map((rank) => shareOf(5, rank))).toEqual([2, 2, 1]);
    expect(ranks(4).map((rank) => shareOf(2, rank))).toEqual([1, 1, 1, 1]);
  });

  const limits = fc.record({ places: fc.integer({ min: 1, max: 1_000 }), of: fc.integer({ min: 1, max: 64 }) });

  test('add up to the limit, and differ by at most one slot', () => {
    fc.assert(
      fc.property(limits, ({ places, of }) => {
        const shares = ranks(of).map((rank) => shareOf(places, rank));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.max(places, of));
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('never exceed the limit while only some processes know that others have gone', () => {
    fc.assert(
      fc.property(limits, fc.array(fc.boolean()), fc.array(fc.boolean()), ({ places, of }, goes, knows) => {
        const stay = ranks(of).filter(({ at }) => goes[at] !== true);
        const shares = stay.map((rank, at) =>
          shareOf(places, knows[rank.at] === true ? { at, of: stay.length, isNew: false } : rank),
        );
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(Math.max(places, stay.length));
      }),
    );
  });

  test('give one slot to a process that the others do not know of yet', () => {
    expect(shareOf(100, { at: 1, of: 2, isNew: true })).toBe(1);
  });
});
