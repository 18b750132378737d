import { describe, expect, test } from '@jest/globals';
import type { ClaimResult, Turn } from '../../../record/statements/claim.ts';
import { createTurns } from './turns.ts';

const at = (seconds: number): Date => new Date(seconds * 1_000);
const MANY = { count: 100, perSubscription: 2 };

/** Turns on a clock that stands at `clock.now` ms. */
function turnsOf(ids: Record<string, number>) {
  const clock = { now: 0 };
  const turns = createTurns(() => clock.now);
  for (const [id, since] of Object.entries(ids)) turns.see(id, at(since));
  return { clock, turns, show: () => turns.next(100).map(({ id, since }) => `${id} ${since.getTime() / 1_000}`) };
}

const served = (
  claimed: Record<string, [count: number, last: number]>,
  waits: Record<string, number | null> = {},
): ClaimResult => ({
  claimed: new Map(
    Object.entries(claimed).map(([id, [count, last]]) => [id, { count, last: at(last), isProbe: false }]),
  ),
  waits: new Map(Object.entries(waits)),
});

describe('after a claim', () => {
  test.each<[what: string, result: ClaimResult, limits: { count: number; perSubscription: number }, left: string[]]>([
    ['who gave nothing is forgotten', served({}), MANY, []],
    ['who gave less than was asked for is forgotten', served({ a: [1, 5], b: [1, 5] }), MANY, []],
    [
      'who gave all that was asked for is behind the others, and begins at its last one',
      served({ a: [2, 7] }),
      { count: 2, perSubscription: 2 },
      ['b 20', 'c 30', 'a 7'],
    ],
    [
      'who was cut short by the size of the claim is asked again, and whoever was behind it is not taken for empty',
      served({ a: [2, 7], b: [1, 21] }),
      { count: 3, perSubscription: 2 },
      ['c 30', 'a 7', 'b 21'],
    ],
    ['who takes nothing for a while is left out', served({ a: [1, 5] }, { b: 500 }), MANY, []],
  ])('%s', (_what, result, limits, left) => {
    const { turns, show } = turnsOf({ a: 10, b: 20, c: 30 });
    turns.learn(turns.next(100), result, limits);
    expect(show()).toEqual(left);
  });

  test('who waits comes again when its time has come, and at once when it takes tries again', () => {
    const { turns, clock, show } = turnsOf({ a: 10, b: 20 });
    turns.learn(turns.next(100), served({}, { a: 500, b: 500 }), MANY);
    turns.see('a', at(40));
    turns.open('b', at(0));
    turns.open('b', at(30));
    expect(show()).toEqual(['b 0']);
    clock.now = 500;
    expect(show()).toEqual(['a 10', 'b 0']);
  });

  test('who takes nothing until it is told of is not asked again, whatever becomes due of it', () => {
    const { turns, show } = turnsOf({ a: 10, b: 20 });
    turns.learn(turns.next(100), served({}, { a: null, b: null }), MANY);
    turns.see('a', at(40));
    turns.see('b', at(40));
    turns.open('b', at(0));
    expect(show()).toEqual(['b 0']);
    turns.doubt();
    turns.see('a', at(50));
    expect(show()).toEqual(['b 0', 'a 50']);
  });

  test('a probe leaves more behind it', () => {
    const { turns, show } = turnsOf({ a: 10 });
    const claimed = new Map([['a', { count: 1, last: at(12), isProbe: true }]]);
    turns.learn(turns.next(100), { claimed, waits: new Map() }, MANY);
    expect(show()).toEqual(['a 12']);
  });
});

// A claim that began before a resume or a commit finds nothing, and must not forget a notification that came meanwhile.
test.each<[string, (turns: ReturnType<typeof createTurns>) => void, string[]]>([
  ['has something due', (turns) => turns.see('a', at(15)), ['a 10']],
  ['takes tries again', (turns) => turns.open('a', at(0)), ['a 0']],
  ['may take tries again', (turns) => turns.open('a', at(20)), ['a 10']],
])('a subscription of which it is told during a claim that it %s is not forgotten by it', (_what, tell, left) => {
  const { turns, show } = turnsOf({ a: 10 });
  const asked: Turn[] = turns.next(100);
  tell(turns);
  turns.learn(asked, served({}), MANY);
  expect(show()).toEqual(left);
});

test('subscriptions that are left out keep their turn', () => {
  const { turns, show } = turnsOf({ a: 10, b: 20 });
  expect(turns.next(1, ['a']).map(({ id }) => id)).toEqual(['b']);
  expect([turns.hasNext(['a', 'b']), turns.hasNext()]).toEqual([false, true]);
  expect(show()).toEqual(['a 10', 'b 20']);
});
