import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPendingReplies } from './pending-replies.ts';

test('a mark waits for what was pending at its moment, and not for what began later', async () => {
  const replies = createPendingReplies();
  let end = (): void => {};
  const early = replies.during(() => new Promise<void>((resolve) => (end = resolve)));
  const isSettled = replies.mark();
  void replies.during(() => new Promise<void>(() => {}));
  await nextTurn();
  expect(isSettled()).toBe(false);
  end();
  await early;
  // Whoever awaits the reply deals with it in this turn.
  expect(isSettled()).toBe(false);
  await nextTurn();
  expect([isSettled(), replies.mark()()]).toEqual([true, false]);
});

test('a statement that fails is pending no longer, and its error is thrown on', async () => {
  const replies = createPendingReplies();
  const failing = replies.during(() => Promise.reject(new Error('connection lost')));
  const isSettled = replies.mark();
  await expect(failing).rejects.toThrow('connection lost');
  await nextTurn();
  expect(isSettled()).toBe(true);
});
