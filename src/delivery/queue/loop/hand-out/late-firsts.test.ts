import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createFairQueues } from '../../drain/fair-queues.ts';
import { createLateFirsts } from './late-firsts.ts';

type Waiting = { id: string; channelId: string; subscriptionId: string; heldAt: number };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Subscription `limited` has used up its own limits. */
function setUp(withinMs: number | undefined) {
  const offered: string[] = [];
  const state = { mayDrain: true, others: [] as string[] };
  const firsts = createFairQueues<Waiting>();
  const late = createLateFirsts({
    firsts,
    withinMs,
    now: () => Date.now(),
    waitsForStart: (subscriptionId) => subscriptionId !== 'limited',
    mayDrain: () => state.mayDrain,
    forDrain: () => (subscriptionId) => !state.others.includes(subscriptionId),
    offer: ({ id }) => offered.push(id),
  });
  const hold = (id: string, subscriptionId = 'a'): void => {
    firsts.push({ id, channelId: 'c', subscriptionId, heldAt: Date.now() });
    late.look();
  };
  return { offered, state, late, hold, firsts };
}

test('a try that has waited for its own workflow for longer is drained, by the clock alone', () => {
  const { offered, hold } = setUp(50);
  hold('one');
  jest.advanceTimersByTime(30);
  hold('two');
  jest.advanceTimersByTime(19);
  expect(offered).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(offered).toEqual(['one']);
  jest.advanceTimersByTime(50);
  expect(offered).toEqual(['one', 'two']);
});

test('one that waits for its own limits, or has been started, is not', () => {
  const { offered, hold, firsts } = setUp(50);
  hold('limited one', 'limited');
  hold('started');
  hold('late');
  firsts.take(1, ({ id }) => id === 'started');
  jest.advanceTimersByTime(1_000);
  expect(offered).toEqual(['late']);
  expect(firsts.all().map(({ id }) => id)).toEqual(['limited one']);
});

test('one that is left to other processes is not', () => {
  const { offered, hold, state } = setUp(50);
  state.others = ['theirs'];
  hold('one', 'theirs');
  hold('two');
  jest.advanceTimersByTime(1_000);
  expect(offered).toEqual(['two']);
});

test('while nothing may be drained they wait, and go on once it may', () => {
  const { offered, hold, state } = setUp(50);
  state.mayDrain = false;
  hold('one');
  jest.advanceTimersByTime(10_000);
  expect(offered).toEqual([]);
  state.mayDrain = true;
  jest.advanceTimersByTime(25);
  expect(offered).toEqual(['one']);
});

test.each([
  ['without a bound', undefined, false],
  ['after a stop', 50, true],
] as const)('%s none is late, and no timer is left', (_, withinMs, isStopped) => {
  const { offered, hold, late } = setUp(withinMs);
  hold('one');
  if (isStopped) late.stop();
  hold('two');
  jest.advanceTimersByTime(1_000);
  expect([offered, jest.getTimerCount()]).toEqual([[], 0]);
});
