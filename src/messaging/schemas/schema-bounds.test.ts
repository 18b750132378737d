import { describe, expect, test } from '@jest/globals';
import { SCHEMA_BOUNDS, schemaProblem } from './schema-bounds.ts';

type Schema = Record<string, unknown>;

const of = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => unknown): Schema =>
  Object.fromEntries(of(count, (index) => [`p${index}`, make(index)]));
/** Nested objects with the given number of levels. */
const nested = (levels: number): Schema => (levels === 1 ? {} : { note: nested(levels - 1) });
const ofBytes = (bytes: number, letter = 'x'): Schema => ({
  a: letter.repeat((bytes - 8) / new TextEncoder().encode(letter).length),
});
/** Nested combinators. */
const combined = (levels: number): Schema => (levels === 0 ? {} : { allOf: [combined(levels - 1)] });
const definitions = (of: Record<string, Schema>): Schema => ({ $defs: of });

describe('a schema at its bound is accepted:', () => {
  test.each<[string, Schema]>([
    ['nothing', {}],
    ['what the specification shows', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }],
    ['definitions that are true or false', { $defs: { a: true, b: { items: false } } }],
    ['unknown keywords', { $note: 'x', example: { default: 1 } }],
    ['draft 07', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }],
    ['draft 2020-12 with an empty fragment', { $schema: 'https://json-schema.org/draft/2020-12/schema#' }],
    [
      'annotations',
      { $id: 'https://example.com/a', title: 'A', properties: { a: { $id: 'b', default: 1, examples: [2] } } },
    ],
    ['a reference to an older kind of definition', { $ref: '#/definitions/a', definitions: { a: {} } }],
    ['a reference into a property', { properties: { a: {}, b: { $ref: '#/properties/a' } } }],
    ['32 KiB', ofBytes(SCHEMA_BOUNDS.bytes)],
    ['32 KiB of two-byte characters', ofBytes(SCHEMA_BOUNDS.bytes, 'ü')],
    ['16 levels', nested(SCHEMA_BOUNDS.depth)],
    ['1,000 objects and arrays', { x: of(SCHEMA_BOUNDS.nodes - 2, () => []) }],
    ['500 values', { enum: of(SCHEMA_BOUNDS.enumValues, (value) => value) }],
    ['300 properties', { properties: named(SCHEMA_BOUNDS.properties, () => true) }],
    ['20 combinators', { properties: named(SCHEMA_BOUNDS.combinators, () => ({ not: {} })) }],
    ['3 combinators inside each other', combined(SCHEMA_BOUNDS.nestedCombinators)],
    ['a pattern of 200 characters', { pattern: 'x'.repeat(SCHEMA_BOUNDS.patternLength) }],
    ['a reference', { $ref: '#/$defs/a', ...definitions({ a: { type: 'string' } }) }],
    ['a chain of references', { $ref: '#/$defs/a', ...definitions({ a: { not: { $ref: '#/$defs/b' } }, b: {} }) }],
    [
      'two references to one definition',
      definitions({ a: { anyOf: [{ $ref: '#/$defs/c' }, { $ref: '#/$defs/c' }] }, b: { $ref: '#/$defs/a' }, c: {} }),
    ],
    [
      'names of forbidden keywords as properties',
      { properties: { $anchor: {}, $async: {}, $ref: {} }, required: ['$anchor'] },
    ],
    ['forbidden words in data', { const: { $anchor: 'x' }, enum: [{ $ref: '#' }] }],
    ['schemas that are true or false', { items: false, not: true, properties: { a: true } }],
    ['forms that Ajv will refuse', { properties: [], enum: 1, pattern: 2, patternProperties: 3, $defs: 4 }],
  ])('%s', (_, schema) => {
    expect(schemaProblem(schema)).toBeUndefined();
  });
});

describe('a schema is rejected for', () => {
  test.each<[string, Schema, string]>([
    ['one byte more', ofBytes(SCHEMA_BOUNDS.bytes + 1), 'must be at most 32768 bytes of JSON'],
    ['two bytes more', ofBytes(SCHEMA_BOUNDS.bytes + 2, 'ü'), 'must be at most 32768 bytes of JSON'],
    ['17 levels', nested(SCHEMA_BOUNDS.depth + 1), 'must not be nested deeper than 16 levels'],
    [
      '100,000 levels',
      JSON.parse('{"a":'.repeat(100_000) + '{}' + '}'.repeat(100_000)),
      'nested deeper than 16 levels',
    ],
    [
      '1,001 objects and arrays',
      { x: of(SCHEMA_BOUNDS.nodes - 1, () => []) },
      'must hold at most 1000 objects and arrays',
    ],
    ['501 values', { items: { enum: of(501, (value) => value) } }, 'at #/items/enum: must have at most 500 values'],
    ['50,000 values', { enum: of(50_000, (value) => value) }, 'must be at most 32768 bytes of JSON'],
    ['301 properties', { properties: named(301, () => true) }, 'at #/properties: must have at most 300 properties'],
    ['301 patterns', { patternProperties: named(301, () => true) }, 'at #/patternProperties: must have at most 300'],
    ['21 combinators', { properties: named(21, () => ({ not: {} })) }, 'must have at most 20 of allOf, anyOf'],
    [
      '12 nested pairs of combinators',
      { anyOf: [combined(3), combined(3)] },
      'at #/anyOf/0/allOf/0/allOf/0/allOf: must not be nested in more than 2 other',
    ],
    [
      'combinators nested through properties',
      { not: { properties: { a: { if: { items: { oneOf: [{ not: {} }] } } } } } },
      'at #/not/properties/a/if/items/oneOf/0/not: must not be nested',
    ],
    [
      'a pattern of 201 characters',
      { properties: { a: { pattern: 'x'.repeat(201) } } },
      'at #/properties/a/pattern: must not have a pattern of more than 200',
    ],
    [
      'such a pattern for names',
      { patternProperties: { ['x'.repeat(201)]: {} } },
      'at #/patternProperties: must not have a pattern',
    ],
    [
      'another draft',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'at #/$schema: must name one of the drafts 07, 2019-09 and 2020-12',
    ],
    [
      'a draft in an inner schema',
      { items: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
      'at #/items/$schema: must be at the outermost',
    ],
    ['a reference to itself', { $ref: '#' }, 'at #/$ref: must not refer back to itself'],
    [
      'a reference that is not a string',
      { $ref: 1 },
      'at #/$ref: must be a reference into this schema, such as #/$defs/name',
    ],
    [
      'a reference to another document',
      { $ref: 'https://example.com/a.json' },
      'at #/$ref: must be a reference into this schema',
    ],
    ['a reference to a name', { $ref: '#a' }, 'at #/$ref: must be a reference into this schema'],
    ['a reference to nothing', { $ref: '#/$defs/a' }, 'at #/$ref: must point to a schema in this document'],
    [
      'a reference to what every object has',
      { $ref: '#/$defs/toString', $defs: {} },
      'must point to a schema in this document',
    ],
    [
      'a reference to data',
      { not: { $ref: '#/const' }, const: {} },
      'at #/not/$ref: must point to a schema in this document',
    ],
    [
      'a reference to a schema around it',
      { properties: { a: { items: { $ref: '#/properties/a' } } } },
      'at #/properties/a/items/$ref: must not refer back to itself',
    ],
    [
      'a cycle of one',
      definitions({ 'a/b': { items: { $ref: '#/$defs/a~1b' } } }),
      'at #/$defs/a~1b/items/$ref: must not refer back to itself',
    ],
    [
      'a cycle of three',
      definitions({ a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/c' } }, c: { items: { $ref: '#/$defs/a' } } }),
      'at #/$defs/c/items/$ref: must not refer back to itself',
    ],
    [
      'a cycle after a chain of references',
      definitions({ z: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/b' } }),
      'at #/$defs/b/$ref: must not refer back to itself',
    ],
    [
      'a $data reference',
      { properties: { a: { minimum: { $data: '1/b' } } } },
      'at #/properties/a/minimum: must not be a $data reference',
    ],
    ...[
      '$anchor',
      '$dynamicAnchor',
      '$dynamicRef',
      '$recursiveAnchor',
      '$recursiveRef',
      '$vocabulary',
      '$async',
      '$data',
    ].map((keyword): [string, Schema, string] => [
      keyword,
      { allOf: [{ [keyword]: 'x' }] },
      `at #/allOf/0/${keyword}: must not be used: the keyword is not supported`,
    ]),
  ])('%s', (_, schema, reason) => {
    expect(schemaProblem(schema)).toContain(reason);
  });
});
