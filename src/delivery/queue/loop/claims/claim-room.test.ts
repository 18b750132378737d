import { expect, test } from '@jest/globals';
import { claimRoom } from './claim-room.ts';

const waiting = (subscriptions: number, each: number): Map<string, number> =>
  new Map(Array.from({ length: subscriptions }, (_, index) => [`sub_${index}`, each]));

test('one subscription alone gets half of what a burst claims at a time, then it has enough', () => {
  expect(claimRoom(waiting(1, 499), { count: 1_000, full: [] })).toEqual({ room: 501, except: [] });
  expect(claimRoom(waiting(1, 500), { count: 1_000, full: [] })).toEqual({ room: 1_000, except: ['sub_0'] });
});

// Old mechanism: the claims of all subscriptions together filled the room of one that held nothing.
test.each([1, 20, 100, 999])('%i subscriptions that wait for slow receivers leave room for the next one', (count) => {
  const { room, except } = claimRoom(waiting(count, 9), { count: 1_000, full: [] });
  expect(room).toBeGreaterThan(0);
  expect(room + (except.length > 0 ? 0 : count * 9)).toBe(1_000);
});

test('one that has more than it will send soon is left out, however little that is', () => {
  const held = new Map([
    ['slow', 3],
    ['quick', 5],
  ]);
  expect(claimRoom(held, { count: 1_000, full: ['slow'] })).toEqual({ room: 995, except: ['slow'] });
});

test('a process holds ten thousand at most', () => {
  expect(claimRoom(waiting(100, 99), { count: 1_000, full: [] })).toMatchObject({ room: 100 });
  expect(claimRoom(waiting(100, 100), { count: 1_000, full: [] }).room).toBe(0);
});
