import { expect, test } from '@jest/globals';
import { createByEventType } from './event-triggers.ts';

/** A list by event type that counts how often it was computed. */
function setUp(lengthOf: (eventType: string) => number) {
  const made: string[] = [];
  const of = createByEventType((_: object, eventType) => {
    made.push(eventType);
    return Array.from({ length: lengthOf(eventType) }, () => eventType);
  });
  return { made, of };
}

test('an event type is looked up once per configuration, even if nothing matches it', () => {
  const { made, of } = setUp((eventType) => (eventType === 'a' ? 2 : 0));
  const [first, second] = [{}, {}];
  expect([of(first, 'a'), of(first, 'b'), of(first, 'a'), of(first, 'b')]).toEqual([['a', 'a'], [], ['a', 'a'], []]);
  expect(made).toEqual(['a', 'b']);
  expect(of(second, 'a')).toEqual(['a', 'a']);
  expect(made).toEqual(['a', 'b', 'a']);
});

test('a long list is not cached', () => {
  const { made, of } = setUp(() => 21);
  const config = {};
  expect([of(config, 'a').length, of(config, 'a').length]).toEqual([21, 21]);
  expect(made).toEqual(['a', 'a']);
});

test('at most a thousand event types are cached at a time', () => {
  const { made, of } = setUp(() => 0);
  const config = {};
  for (let type = 0; type < 1_001; type += 1) of(config, String(type));
  of(config, '1000');
  expect(made).toHaveLength(1_001);
  of(config, '0');
  expect(made).toHaveLength(1_002);
});
