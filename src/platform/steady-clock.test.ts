import { expect, test } from '@jest/globals';
import { createSteadyClock } from './steady-clock.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const MINUTE = 60_000;

/** A machine whose clock may be set; time goes on by `pass`. */
function machineOf() {
  let [wall, monotonic] = [NOON, 5_000];
  const clock = createSteadyClock({ wall: () => wall, monotonic: () => monotonic });
  return {
    clock,
    shown: () => clock.now().getTime() - NOON,
    pass(ms: number) {
      wall += ms;
      monotonic += ms;
    },
    set: (byMs: number) => void (wall += byMs),
    /** The other clock is ahead of the machine's by so many ms, and answered at once or within `tookMs`. */
    compare: (aheadMs: number, tookMs = 0) =>
      clock.compare({ theirs: wall + aheadMs, askedAt: monotonic - tookMs, answeredAt: monotonic }),
  };
}

test('a clock that agrees to a second is the machine’s own', () => {
  const machine = machineOf();
  machine.pass(10);
  expect(machine.compare(999)).toBe(0);
  expect(machine.shown()).toBe(10);
  machine.set(-900);
  expect(machine.shown()).toBe(-890);
});

test.each([10 * MINUTE, -10 * MINUTE])('a jump by %d ms is seen at once', (byMs) => {
  const machine = machineOf();
  machine.pass(100);
  machine.set(byMs);
  machine.pass(50);
  expect(machine.shown()).toBe(150);
});

test.each([10 * MINUTE, -10 * MINUTE])(
  'a machine that is %d ms behind from its start shows the other clock’s time',
  (by) => {
    const machine = machineOf();
    expect(machine.compare(by)).toBe(-by);
    machine.pass(1_500);
    expect(machine.shown()).toBe(by + 1_500);
    // Set right by its owner: it agrees again, and shows the same.
    machine.set(by);
    machine.pass(500);
    expect(machine.shown()).toBe(by + 2_000);
    expect(machine.compare(0)).toBe(0);
    expect(machine.shown()).toBe(by + 2_000);
  },
);

test('an answer that took long says less: only what is beyond its time is a difference', () => {
  const machine = machineOf();
  expect(machine.compare(-3_000, 2_500)).toBe(0);
  expect(machine.compare(-3_500, 1_500)).toBe(2_000);
  // The middle of the time in which the answer was made.
  expect(machine.shown()).toBe(-2_750);
});
