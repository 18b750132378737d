import { describe, expect, test } from '@jest/globals';
import { schemaCost } from './compile.ts';

const costOf = (schema: Record<string, unknown>): number => schemaCost(schema, (pattern) => pattern.length * 10);

describe('the work for one character of payload', () => {
  test.each<[string, Record<string, unknown>, number]>([
    ['nothing', {}, 1],
    ['one keyword', { type: 'string' }, 2],
    ['properties', { properties: { a: { type: 'string' }, b: true } }, 4],
    ['values to compare with', { enum: [1, [2, 3], { a: null }] }, 8],
    ['a value to be', { const: { a: [1, 2] } }, 5],
    ['names to have', { required: ['a', 'b'], dependentRequired: { a: ['b'] } }, 7],
    ['a pattern', { pattern: 'abc' }, 31],
    ['patterns of names', { patternProperties: { ab: { type: 'string' } } }, 24],
    ['a format', { format: 'date' }, 9],
    ['members that were not evaluated', { unevaluatedProperties: false }, 18],
    ['items that were not evaluated', { unevaluatedItems: false }, 18],
    ['definitions that nothing refers to', { $defs: { a: { type: 'string' } }, definitions: { b: {} } }, 1],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 3],
    [
      'two references to one definition',
      { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: {} } },
      6,
    ],
    ['references to what is not there', { $ref: 'a.json', not: { $ref: '#/$defs/a' } }, 5],
    ['a reference into a property', { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } }, 6],
    ['a list of items', { items: [{ type: 'string' }, true], additionalItems: false }, 7],
    ['items that may be alike', { uniqueItems: false }, 2],
  ])('counts %s', (_, schema, cost) => {
    expect(costOf(schema)).toBe(cost);
  });

  test('doubles with each definition that refers to the next one twice', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `d${n}`,
        n === 0 ? {} : { items: { $ref: `#/$defs/d${n - 1}` }, contains: { $ref: `#/$defs/d${n - 1}` } },
      ]),
    );
    expect(costOf({ $ref: '#/$defs/d19', $defs: definitions })).toBeGreaterThan(2 ** 19);
  });

  test.each([{ uniqueItems: true }, { format: 'url' }, { items: { properties: { a: { format: 'regex' } } } }])(
    'is unbounded for %j',
    (schema) => {
      expect(costOf(schema)).toBe(Number.POSITIVE_INFINITY);
    },
  );
});
