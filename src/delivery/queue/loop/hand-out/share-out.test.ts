import { expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createFairQueues } from '../../drain/fair-queues.ts';
import { createPendingReplies } from '../../recovery/pending-replies.ts';
import type { Claimed } from '../claims/claimed.ts';
import { createShareOut } from './share-out.ts';

/** A process that has `own` of five places, with tries of 100 ms, and so many first tries of one subscription. */
function setUp(own: number | undefined, waiting: number) {
  const released: string[][] = [];
  const state = { now: 0, drained: 0, isKnown: false, meanMs: 100 as number | undefined };
  const firsts = createFairQueues<Claimed>();
  for (let n = 0; n < waiting; n += 1)
    firsts.push({ id: `${n}`, channelId: 'channel', subscriptionId: 'one', heldAt: 0 });
  const sharing = createShareOut({
    // `as`: the only statement is the one that gives claims back.
    pool: { query: async (_text: string, [ids]: [string[]]) => ({ rowCount: released.push(ids) }) } as unknown as Pool,
    incarnationId: 'inc_own',
    replies: createPendingReplies(),
    firsts,
    drain: { countInto: (counts) => void counts.set('one', state.drained) },
    admission: { dividedPlaces: () => (own === undefined ? undefined : { own, all: 5 }) },
    firstTries: { meanMs: () => state.meanMs },
    due: { knows: () => state.isKnown },
    now: () => state.now,
  });
  const drainable = (): number => {
    const isForDrain = sharing.forDrain();
    return Array.from({ length: 1_000 }, () => isForDrain('one')).filter(Boolean).length;
  };
  return { sharing, state, firsts, released, drainable };
}

test('where nothing is divided the drain may have everything, and nothing is given back', async () => {
  const { sharing, released, drainable } = setUp(undefined, 100);
  await sharing.giveBack();
  expect([drainable(), sharing.full(), released]).toEqual([1_000, [], []]);
});

test('the drain gets what its own places take within a second, and two tries of each place at least', () => {
  const { state, drainable } = setUp(3, 100);
  expect(drainable()).toBe(30);
  state.drained = 25;
  expect(drainable()).toBe(5);
  state.meanMs = undefined;
  state.drained = 0;
  expect(drainable()).toBe(6);
});

test('the others get as much of the rest as they have places for, the newest ones', async () => {
  const { sharing, state, firsts, released } = setUp(3, 130);
  state.drained = 30;
  await sharing.giveBack();
  expect([released[0]?.length, released[0]?.[0], released[0]?.at(-1)]).toEqual([52, '78', '129']);
  expect([firsts.size(), sharing.full()]).toEqual([78, ['one']]);
});

test('nothing more is given back before what was has been claimed, nor twice within half a second', async () => {
  const { sharing, state, released } = setUp(3, 130);
  await sharing.giveBack();
  await sharing.giveBack();
  state.now += 500;
  state.isKnown = true;
  await sharing.giveBack();
  expect([released.length, sharing.full()]).toEqual([1, ['one']]);
  state.now += 500;
  state.isKnown = false;
  await sharing.giveBack();
  expect(released.length).toBe(2);
});

test('a queue that is no longer than what the process keeps stays, and more may be claimed', async () => {
  const { sharing, released } = setUp(3, 30);
  await sharing.giveBack();
  expect([sharing.full(), released]).toEqual([[], []]);
});
