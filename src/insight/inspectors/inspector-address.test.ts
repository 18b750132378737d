import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createHeldAnswers, HELD_AT_MOST, type HeldAnswers } from './inspector-address.ts';

/** Slots that an organisation gets when it asks for `wanted`. */
function takenBy(held: HeldAnswers, organisationId: string, wanted: number) {
  const places = Array.from({ length: wanted }, () => held.begin());
  return places.filter((place) => place.take(organisationId) === undefined);
}

test('one organisation gets at most 50 slots, and others still get theirs', () => {
  const held = createHeldAnswers();
  const places = takenBy(held, 'org_1', 230);
  expect([places.length, takenBy(held, 'org_2', 1).length]).toEqual([HELD_AT_MOST.ofOrganisation, 1]);
  expect(held.begin().take('org_1')).toBe('50 inspector responses of this organisation are already delayed');
  for (const place of places) {
    place.leave();
    // The second one releases nothing.
    place.leave();
  }
  expect(takenBy(held, 'org_1', 230)).toHaveLength(HELD_AT_MOST.ofOrganisation);
});

test('a process has 200 slots in total', () => {
  const held = createHeldAnswers();
  const all = ['org_1', 'org_2', 'org_3', 'org_4', 'org_5'].map((each) => takenBy(held, each, 60).length);
  expect(all).toEqual([50, 50, 50, 50, 0]);
  expect(held.begin().take('org_5')).toBe('200 inspector responses are already delayed');
});

test('a wait ends when its connection closes or the service stops, and does not begin on a closed connection', async () => {
  const held = createHeldAnswers();
  const [closing, staying, gone] = [new Socket(), new Socket(), new Socket().destroy()];
  const waits = [held.begin().wait(3_600_000, { socket: closing }), held.begin().wait(3_600_000, { socket: staying })];
  await held.begin().wait(3_600_000, { socket: gone });
  closing.destroy();
  await waits[0];
  held.end();
  await waits[1];
  expect([closing, staying].map((socket) => EventEmitter.listenerCount(socket, 'close'))).toEqual([0, 0]);
  await held.begin().wait(3_600_000, { socket: new Socket() });
});
