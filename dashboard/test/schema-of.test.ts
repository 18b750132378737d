import { expect, test } from '@jest/globals';
import { schemaOf } from '../src/lib/schema-of.ts';

test('a schema has the types of all values, the members that each one has, and one schema for the items of arrays', () => {
  const first = { id: 'a', total: 12.5, lines: [{ sku: 'x', count: 1 }, { sku: 'y' }], note: null };
  const second = { id: 'b', total: 12, lines: [], note: 'late', paid: true };
  expect(schemaOf([first, second])).toEqual({
    type: 'object',
    required: ['id', 'total', 'lines', 'note'],
    properties: {
      id: { type: 'string' },
      total: { type: 'number' },
      lines: {
        type: 'array',
        items: {
          type: 'object',
          required: ['sku'],
          properties: { sku: { type: 'string' }, count: { type: 'integer' } },
        },
      },
      note: { type: ['null', 'string'] },
      paid: { type: 'boolean' },
    },
  });
});

test('a map of many keys, an empty object and deep values get no schema', () => {
  const map = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at]));
  expect(schemaOf([{ map, none: {} }])).toEqual({
    type: 'object',
    required: ['map', 'none'],
    properties: { map: { type: 'object' }, none: { type: 'object' } },
  });
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`);
  expect(JSON.stringify(schemaOf([deep])).match(/"properties"/g)).toHaveLength(6);
  expect(schemaOf([])).toEqual({});
});

test('an inherited member such as constructor is a member only if a value has it as its own', () => {
  const schema = schemaOf([JSON.parse('{"toString": 1, "__proto__": 2}'), {}]);
  expect(schema.required).toBeUndefined();
  expect(Object.keys(schema.properties ?? {})).toEqual(['toString', '__proto__']);
});
