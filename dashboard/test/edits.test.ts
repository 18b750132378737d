import { expect, test } from '@jest/globals';
import { type Edit, movedFields, withSaved, withSeen, withWritten } from '../src/lib/edits.ts';
import { changedPolicy } from '../src/lib/retry-policy.ts';

type Thing = { name: string; types: string; limit: number };
const thing: Thing = { name: 'Till', types: 'a', limit: 1 };
const writeAll = (now: Thing, ...parts: Partial<Thing>[]): Edit<Thing> =>
  parts.reduce<Edit<Thing>>((edit, part) => withWritten(edit, now, part), undefined);
const newer = (edit: Edit<Thing>, now: Thing): string[] =>
  edit === undefined ? [] : movedFields(now, edit.seen, edit.written);

test("a field set back to the resource's value no longer counts as edited", () => {
  expect(writeAll(thing, { name: 'Shop' }, { limit: 2 })?.written).toEqual({ name: 'Shop', limit: 2 });
  expect(writeAll(thing, { name: 'Shop' }, { name: 'Till' })).toBeUndefined();
});

// The seen state was once kept for all fields together, so a field that was first edited over the newer value was
// reported as changed by others.
test('the seen value of a field is the one from when the user started to edit it', () => {
  const edit = writeAll(thing, { name: 'Shop' });
  const now = { ...thing, types: 'b', limit: 7 };
  expect(newer(edit, now)).toEqual(['types', 'limit']);
  const further = withWritten(edit, now, { types: 'c' });
  expect(newer(further, now)).toEqual(['limit']);
  expect(newer(withWritten(further, now, { types: 'd' }), { ...now, types: 'e' })).toEqual(['types', 'limit']);
});

test('a change by others to the value that was entered does not count', () => {
  expect(newer(writeAll(thing, { name: 'Shop' }), { ...thing, name: 'Shop' })).toEqual([]);
});

// The button that accepts the newer state dropped all edits.
test('accepting the newer state drops the edits of fields that others have changed too, and no others', () => {
  const edit = writeAll(thing, { name: 'Shop', limit: 2 });
  const now = { ...thing, name: 'Stall', types: 'b' };
  const taken = withSeen(edit, now);
  expect(taken?.written).toEqual({ limit: 2 });
  expect(newer(taken, now)).toEqual([]);
  expect(newer(taken, { ...now, types: 'c' })).toEqual(['types']);
  expect(withSeen(writeAll(thing, { name: 'Shop' }), now)).toBeUndefined();
});

// The page compared the response with what it had sent, so a value that the service writes in another way was reported
// as changed by others.
test('a saved value that the service writes in another way does not count as changed by others', () => {
  const sent = { types: 'a,b' };
  const answer = { ...thing, types: 'a, b', name: 'Stall' };
  expect(withSaved(writeAll(thing, sent), sent, answer)).toBeUndefined();
  const further = withSaved(writeAll(thing, { types: 'a,b,c', limit: 2 }), sent, answer);
  expect(further?.written).toEqual({ types: 'a,b,c', limit: 2 });
  // Someone else changed the name, which must still be reported.
  expect(newer(further, answer)).toEqual(['name']);
});

// A first delay above the longest delay was sent alone, and the service moved the longest delay.
test('both delays of a retry policy are sent if one of them is changed', () => {
  const values = { maxRetries: 5, initialDelay: 9_000, maxDelay: 6_000, backoffMultiplier: 2 };
  expect(changedPolicy({ initialDelay: 9_000 }, values)).toEqual({ initialDelay: 9_000, maxDelay: 6_000 });
  expect(changedPolicy({ maxDelay: 6_000 }, values)).toEqual({ initialDelay: 9_000, maxDelay: 6_000 });
  expect(changedPolicy({ maxRetries: 5 }, values)).toEqual({ maxRetries: 5 });
  expect(changedPolicy({}, values)).toBeUndefined();
});
