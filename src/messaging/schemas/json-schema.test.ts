import { describe, expect, test } from '@jest/globals';
import { mapSubschemas, pointerTo, resolveReference, subschemasOf, draftOf } from './json-schema.ts';

describe('the schemas inside a schema', () => {
  test('are found under every keyword that can contain schemas, with their locations', () => {
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

  test('are not searched for in data or in values of the wrong type', () => {
    expect(subschemasOf({ const: { not: {} }, enum: [{ not: {} }], allOf: {}, properties: [{}], title: 'x' })).toEqual(
      [],
    );
  });
});

test('each schema of a list of items is found', () => {
  const found = subschemasOf({ items: [{ type: 'string' }, true], additionalItems: false });
  expect(found.map(({ place }) => place)).toEqual([['items', 0], ['items', 1], ['additionalItems']]);
});

test.each([
  ['not', { a: 1 }, 'changed'],
  ['items', [{}, {}], ['changed', 'changed']],
  ['anyOf', [true], ['changed']],
  ['properties', { a: {}, b: true }, { a: 'changed', b: 'changed' }],
  ['enum', [{}], [{}]],
  ['anyOf', {}, {}],
  ['properties', [{}], [{}]],
])('the schemas under %s of %j are replaced, and data is not', (keyword, value, expected) => {
  expect(mapSubschemas(keyword, value, () => 'changed')).toEqual(expected);
});

describe('a reference', () => {
  const target = { title: 'the target' };
  const root = {
    $defs: { 'a/b~': { properties: { c: { items: [{}, target] } } }, ü: target },
    definitions: { group: { definitions: { one: target } } },
    const: { $defs: { x: target } },
    allOf: [{}, target],
    not: true,
  };
  test.each([
    ['#/$defs/a~1b~0/properties/c/items/1', ['$defs', 'a/b~', 'properties', 'c', 'items', 1]],
    ['#/$defs/%C3%BC', ['$defs', 'ü']],
    ['#/definitions/group/definitions/one', ['definitions', 'group', 'definitions', 'one']],
    ['#/allOf/1', ['allOf', 1]],
  ])('%s leads to a schema and says where it stands', (reference, place) => {
    expect(resolveReference(root, reference)).toEqual({ schema: target, place });
  });

  test('to the whole document or to a schema that is true is resolved', () => {
    expect(resolveReference(root, '#')).toEqual({ schema: root, place: [] });
    expect(resolveReference(root, '#/not')).toEqual({ schema: true, place: ['not'] });
  });

  test.each([
    '#/$defs',
    '#/$defs/%ZZ',
    '#/$defs/nothing',
    '#/$defs/toString',
    '#/const/$defs/x',
    '#/allOf/2',
    '#/not/not',
    '#/',
    '#a',
    '',
    'other.json#/$defs/a',
  ])('%s leads to no schema of this document', (reference) => {
    expect(resolveReference(root, reference)).toBeUndefined();
  });
});

test('a location is formatted as a JSON pointer', () => {
  expect(pointerTo(['properties', 'a/b~', 0])).toBe('#/properties/a~1b~0/0');
  expect(pointerTo([])).toBe('#');
});

test.each([
  [undefined, '2020-12'],
  ['http://json-schema.org/draft-07/schema#', '07'],
  ['http://json-schema.org/draft-07/schema', '07'],
  ['https://json-schema.org/draft-07/schema#', '07'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['https://json-schema.org/draft/2020-12/schema#', '2020-12'],
  ['http://json-schema.org/draft-04/schema#', undefined],
  ['http://json-schema.org/schema#', undefined],
  ['https://example.com/json-schema.org/draft-07/schema', undefined],
  ['toString', undefined],
  [7, undefined],
])('the draft that $schema %j names is %j', ($schema, draft) => {
  expect(draftOf($schema)).toBe(draft);
});
