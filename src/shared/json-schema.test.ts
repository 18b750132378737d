import { describe, expect, test } from '@jest/globals';
import { definitionOf, pointerTo, subschemasOf } from './json-schema.ts';

describe('the schemas inside a schema', () => {
  test('are found under every keyword that holds some, with their places', () => {
    const found = subschemasOf({
      not: { a: 1 },
      items: false,
      anyOf: [{}, true],
      properties: { 'a/b': { type: 'string' } },
      $defs: { x: {} },
    });
    expect(found.map(({ place }) => place)).toEqual([
      ['not'],
      ['items'],
      ['anyOf', 0],
      ['anyOf', 1],
      ['properties', 'a/b'],
      ['$defs', 'x'],
    ]);
    expect(found[4]).toEqual({ keyword: 'properties', schema: { type: 'string' }, place: ['properties', 'a/b'] });
  });

  test('are not looked for in data, nor in what has the wrong form', () => {
    expect(subschemasOf({ const: { not: {} }, enum: [{ not: {} }], allOf: {}, properties: [{}], title: 'x' })).toEqual(
      [],
    );
  });
});

test.each([
  ['#/$defs/a', 'a'],
  ['#/$defs/a~1b~0c', 'a/b~c'],
  ['#/$defs/%C3%BC', 'ü'],
  ['#/$defs/%ZZ', undefined],
  ['#/$defs/', undefined],
  ['#/$defs/a/properties/b', undefined],
  ['#', undefined],
  ['#a', undefined],
  ['other.json#/$defs/a', undefined],
])('the definition of %j is %j', (reference, name) => {
  expect(definitionOf(reference)).toBe(name);
});

test('a place is shown as a JSON pointer', () => {
  expect(pointerTo(['properties', 'a/b~', 0])).toBe('#/properties/a~1b~0/0');
  expect(pointerTo([])).toBe('#');
});
