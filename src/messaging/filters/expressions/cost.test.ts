import { describe, expect, test } from '@jest/globals';
import { compilePattern } from '../pattern.ts';
import { BOUNDS, LONGEST, UNITS } from './units.ts';
import { createExpressions } from './expressions.ts';

const { compile } = createExpressions(compilePattern);
const unitsOf = (expression: string): number => compile(expression).cost.units;
/** Base units of a filter of this length: the filter itself and one failure. */
const least = (expression: string): number =>
  UNITS.filter + UNITS.character * expression.length + failures(1, expression);
const failures = (count: number, expression: string): number =>
  count * (UNITS.failure + UNITS.failureCharacter * expression.length);
const { element } = UNITS;
const ALL = LONGEST.payload;
const NUMBER = 8 * UNITS.comparedCharacter;
const ENTRIES = compilePattern('^a+$').entries;
/** Units of the given numbers of names, members and operators. */
const parts = (names: number, members: number, operations: number): number =>
  names * UNITS.name + members * UNITS.member + operations * UNITS.operation;

describe('the units of a filter cover everything it can do:', () => {
  test.each<[string, number]>([
    ['true', 0],
    ['payload.paid', parts(1, 1, 0)],
    ['!payload.paid', parts(1, 1, 1)],
    ['payload.total * 2 - 1 > 1', parts(1, 1, 3) + NUMBER],
    ['payload.a == "12345"', parts(1, 1, 1) + 5 * UNITS.comparedCharacter],
    ['payload.a < payload.b', parts(2, 2, 1) + ALL * UNITS.comparedCharacter],
    ['payload.a == payload.b', parts(2, 2, 1) + ALL * UNITS.comparedCharacter + 1_000 * UNITS.compared],
    ['metadata.a < payload.b', parts(2, 2, 1) + LONGEST.metadata * UNITS.comparedCharacter],
    ['eventType == metadata.a', parts(2, 1, 1) + LONGEST.eventType * UNITS.comparedCharacter],
    ['payload.a.startsWith(eventType)', parts(2, 1, 1) + LONGEST.eventType * UNITS.comparedCharacter],
    [
      'payload.a in ["x", "y"]',
      parts(1, 1, 1) + 2 * UNITS.item + 23 * UNITS.itemCharacter + BOUNDS.needle * UNITS.keyCharacter,
    ],
    ['"x" in payload.tags', parts(1, 1, 1) + BOUNDS.items * UNITS.item + ALL * UNITS.itemCharacter],
    ['"x" in metadata', parts(1, 0, 1)],
    ['payload[eventType]', parts(2, 1, 0) + LONGEST.eventType * UNITS.keyCharacter],
    ['size(payload.a) > 1', parts(1, 1, 2) + BOUNDS.searched * UNITS.countedCharacter + NUMBER],
    [
      'payload.a.contains("xy")',
      parts(1, 1, 1) + BOUNDS.searched * UNITS.searchedCharacter + 2 * UNITS.needleCharacter,
    ],
    [
      'metadata.a.contains("xy")',
      parts(1, 1, 1) + LONGEST.metadata * UNITS.searchedCharacter + 2 * UNITS.needleCharacter,
    ],
    ['eventType.matches("^a+$")', parts(1, 0, 1) + 128 * UNITS.readCharacter + ENTRIES * UNITS.patternEntry],
    ['payload.a.lowerAscii() == "x"', parts(1, 1, 2) + BOUNDS.read * UNITS.readCharacter + UNITS.comparedCharacter],
    ['int(payload.a) == 1', parts(1, 1, 2) + UNITS.conversion + NUMBER],
    ['timestamp(payload.a) > timestamp("2026-01-01T00:00:00Z")', parts(1, 1, 3) + UNITS.timestamp + NUMBER],
    ['payload.a ? eventType == "a" : false', parts(2, 1, 2) + UNITS.comparedCharacter],
    ['payload[?"a"].hasValue()', parts(1, 1, 1)],
    ['payload.?a.orValue(eventType) == "x"', parts(2, 1, 2) + UNITS.comparedCharacter],
    ['payload.?a.or(optional.of(eventType)).value() == "x"', parts(3, 1, 4) + UNITS.comparedCharacter],
    [
      '(dyn(payload.a) == "x") != (string(payload.b) == "y")',
      parts(2, 2, 5) + UNITS.conversion + 2 * UNITS.comparedCharacter + NUMBER,
    ],
    [
      'payload.a in payload.b',
      parts(2, 2, 1) +
        BOUNDS.items * UNITS.item +
        ALL * UNITS.itemCharacter +
        BOUNDS.needle * UNITS.keyCharacter +
        1_000 * UNITS.compared,
    ],
    [
      'payload.a in [[1]]',
      parts(1, 1, 1) +
        UNITS.item +
        18 * UNITS.itemCharacter +
        BOUNDS.needle * UNITS.keyCharacter +
        1_000 * UNITS.compared,
    ],
    ['duration(payload.a) > duration("1h")', parts(1, 1, 3) + UNITS.duration + NUMBER],
    ['(payload.c ? metadata.a : payload.b) < "xy"', parts(3, 3, 2) + 2 * UNITS.comparedCharacter],
    ['(payload.c ? "x" : payload.b) == "y"', parts(2, 2, 2) + UNITS.comparedCharacter],
    ['(payload.c ? payload.b : "x") == "y"', parts(2, 2, 2) + UNITS.comparedCharacter],
    ['cel.bind(a, payload.b, a == "x")', parts(2, 1, 2) + UNITS.comparedCharacter],
  ])('%s', (expression, units) => {
    expect(unitsOf(expression)).toBe(Math.ceil(least(expression) + units));
  });

  test('each failure that is passed over adds one, up to the bound', () => {
    const two = 'payload.a||payload.b';
    const many = Array.from({ length: 60 }, () => 'payload.a').join('||');
    expect(unitsOf(two)).toBe(Math.ceil(least(two) + parts(2, 2, 1) + failures(1, two)));
    expect(unitsOf(many)).toBe(Math.ceil(least(many) + parts(60, 60, 59) + failures(50, many)));
  });

  test('searched text is bounded in total, and each text that is read is bounded separately', () => {
    const searching = Array.from({ length: 8 }, () => 'payload.a.contains("xy")').join('&&');
    const reading = Array.from({ length: 4 }, () => 'payload.a.matches("^a+$")').join('&&');
    expect(unitsOf(searching)).toBe(
      Math.ceil(
        least(searching) +
          parts(8, 8, 15) +
          failures(7, searching) +
          BOUNDS.searched * UNITS.searchedCharacter +
          16 * UNITS.needleCharacter,
      ),
    );
    expect(unitsOf(reading)).toBe(
      Math.ceil(
        least(reading) +
          parts(4, 4, 7) +
          failures(3, reading) +
          4 * BOUNDS.read * UNITS.readCharacter +
          ENTRIES * UNITS.patternEntry,
      ),
    );
  });
});

describe('a comprehension multiplies', () => {
  const list = parts(1, 1, 1);

  test.each<[string, number]>([
    ['payload.a.exists(x, x)', list + 1_000 * (element + parts(1, 0, 0))],
    ['payload.a.all(x, x.b)', list + 1_000 * (element + parts(1, 1, 0))],
    // Text read from the elements is in total no longer than the payload.
    ['payload.a.exists(x, x < x)', list + 1_000 * (element + parts(2, 0, 1)) + ALL * UNITS.comparedCharacter],
    // Text from elsewhere is read again for each element, and a comparison ends with the shorter one.
    ['payload.a.exists(x, x < payload.b)', list + 1_000 * (element + parts(2, 1, 1)) + ALL * UNITS.comparedCharacter],
    [
      'payload.a.exists(x, payload.b < payload.c)',
      list + 1_000 * (element + parts(2, 2, 1) + ALL * UNITS.comparedCharacter),
    ],
    [
      'payload.a.exists(x, "y" in x)',
      list + 1_000 * (element + parts(1, 0, 1)) + (ALL / 2) * UNITS.item + ALL * UNITS.itemCharacter,
    ],
    [
      'payload.a.exists(x, eventType.matches("^a+$"))',
      list + 1_000 * (element + parts(1, 0, 1)) + BOUNDS.readInAll * UNITS.readCharacter + ENTRIES * UNITS.patternEntry,
    ],
    [
      'payload.a.exists(x, timestamp(x) < timestamp(0))',
      list + 1_000 * (element + parts(1, 0, 3) + UNITS.timestamp + NUMBER),
    ],
    [
      'cel.bind(b, payload.b, payload.a.exists(x, cel.bind(y, x.c, y < b)))',
      list + parts(1, 1, 1) + 1_000 * (element + parts(3, 1, 2)) + ALL * UNITS.comparedCharacter,
    ],
  ])('%s', (expression, units) => {
    expect(unitsOf(expression)).toBe(Math.ceil(least(expression) + failures(BOUNDS.failures, expression) + units));
  });

  test.each(['["a", "b"].exists(x, x == "a")', '{"a": 1, "b": 2}.exists(x, x == "a")'])(
    'by the number of its elements, if they are constants: %s',
    (expression) => {
      const units = parts(0, 0, 1) + 2 * (element + parts(1, 0, 1) + UNITS.comparedCharacter);
      expect(unitsOf(expression)).toBe(Math.ceil(least(expression) + failures(2, expression) + units));
    },
  );

  test.each(['payload.a.filter(x, x).size()', 'size(payload.a.filter(x, x))'])(
    'and so does counting: %s',
    (expression) => {
      const counted = list + parts(0, 0, 1) + 1_000 * (element + parts(1, 0, 0)) + 8 * UNITS.countedCharacter;
      expect(unitsOf(expression)).toBe(Math.ceil(least(expression) + counted));
    },
  );

  test.each([
    'payload.a.exists(x, payload.b in payload.c)',
    'payload.a.exists(x, payload.b < payload.c)',
    'payload.a.exists(x, payload[payload.b] == x)',
  ])('all of the payload for each of its elements is more than a filter may have: %s', (expression) => {
    expect(unitsOf(expression)).toBeGreaterThan(1_000_000);
  });
});

test('`reads` has the variables that are used, without those of comprehensions', () => {
  const readsOf = (expression: string): string[] => [...compile(expression).cost.reads];
  expect(readsOf('eventType == "a"')).toEqual(['eventType']);
  expect(readsOf('has(metadata.a) && payload.a.all(x, x == eventType)')).toEqual(['metadata', 'payload', 'eventType']);
  expect(readsOf('timestamp(0) == timestamp(1)')).toEqual([]);
});
