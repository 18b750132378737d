import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseInput } from './validate.ts';

const body = z.object({
  name: z.string().min(1).max(5),
  count: z.int().min(2).max(9).optional(),
  isOn: z.boolean().optional(),
  status: z.enum(['active', 'paused']).optional(),
  kind: z.literal('one').optional(),
  url: z.url().optional(),
  list: z
    .array(z.object({ eventType: z.string().max(3, 'is far too long') }))
    .max(4)
    .optional(),
  strict: z.strictObject({ a: z.int().optional() }).optional(),
  headers: z.record(z.string().regex(/^[a-z]+$/), z.string()).optional(),
  either: z.union([z.string(), z.number()]).optional(),
});
const good = { name: 'abc' };

test('what the schema returns comes back, without unknown fields', () => {
  expect(parseInput(body, { ...good, unknown: 1 })).toEqual(good);
});

test.each([
  [undefined, 'body', 'is required'],
  [null, 'body', 'must be an object'],
  [[], 'body', 'must be an object'],
  ['x', 'body', 'must be an object'],
  [{}, 'name', 'is required'],
  [{ name: null }, 'name', 'must be a string'],
  [{ name: '' }, 'name', 'must not be empty'],
  [{ name: 'abcdef' }, 'name', 'must be at most 5 characters'],
  [{ ...good, count: 1 }, 'count', 'must be at least 2'],
  [{ ...good, count: 10 }, 'count', 'must be at most 9'],
  [{ ...good, count: 2.5 }, 'count', 'must be a whole number'],
  [{ ...good, count: '3' }, 'count', 'must be a number'],
  [{ ...good, isOn: 1 }, 'isOn', 'must be true or false'],
  [{ ...good, status: 'gone' }, 'status', 'must be one of active, paused'],
  [{ ...good, kind: 'two' }, 'kind', 'must be one'],
  [{ ...good, url: 'x' }, 'url', 'must be a valid url'],
  [{ ...good, list: {} }, 'list', 'must be an array'],
  [{ ...good, list: [{ eventType: 'abc' }, {}] }, 'list[1].eventType', 'is required'],
  [{ ...good, list: [{ eventType: 'abcd' }] }, 'list[0].eventType', 'is far too long'],
  [{ ...good, list: Array.from({ length: 5 }, () => ({ eventType: 'a' })) }, 'list', 'must be at most 4 items'],
  [{ ...good, strict: { b: 1 } }, 'strict.b', 'is not a known field'],
  [{ ...good, headers: { a: 1 } }, 'headers.a', 'must be a string'],
  [{ ...good, headers: { 'A-B': 'x' } }, 'headers["A-B"]', 'has a key that is not allowed'],
  [{ ...good, either: true }, 'either', 'has none of the allowed forms'],
])('%j is refused at %s: %s', (value, field, reason) => {
  expect(() => parseInput(body, value)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', details: { field, reason } }),
  );
});
