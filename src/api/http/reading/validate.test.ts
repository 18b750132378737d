import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { BodyMisfit } from '../../../kernel/errors.ts';
import { instantQuery, pageQuery } from './query.ts';
import { inputOrMisfit, parseInput, readQuery } from './validate.ts';

const body = z.strictObject({
  name: z.string().min(1).max(5),
  count: z.int().min(2).max(9).optional(),
  isOn: z.boolean().optional(),
  status: z.enum(['active', 'paused']).optional(),
  kind: z.literal('one').optional(),
  url: z.url().optional(),
  list: z
    .array(z.strictObject({ eventType: z.string().max(3, 'is far too long') }))
    .max(4)
    .optional(),
  strict: z.strictObject({ a: z.int().optional() }).optional(),
  headers: z.record(z.string().regex(/^[a-z]+$/), z.string()).optional(),
  either: z.union([z.string(), z.number()]).optional(),
});
const good = { name: 'abc' };

test('returns the output of the schema', () => {
  expect(parseInput(body, good)).toEqual(good);
});

test.each([
  [undefined, 'body', 'is required'],
  [null, 'body', 'must be an object'],
  [[], 'body', 'must be an object'],
  ['x', 'body', 'must be an object'],
  [{}, 'name', 'is required'],
  [{ name: null }, 'name', 'must be a string, not null'],
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
  [{ ...good, list: [{ eventTyp: 'a' }] }, 'list[0].eventTyp', 'is not a known field; did you mean eventType?'],
  // An unknown field goes first: it may be why a known one is missing.
  [{ nmae: 'abc' }, 'nmae', 'is not a known field; did you mean name?'],
  [{ name: 7, 'zebra crossing': 1 }, '["zebra crossing"]', 'is not a known field'],
  [{ ...good, headers: { a: 1 } }, 'headers.a', 'must be a string'],
  [{ ...good, headers: { 'A-B': 'x' } }, 'headers["A-B"]', 'must not have a key that is not allowed'],
  [{ ...good, either: true }, 'either', 'must match one of the allowed schemas'],
])('%j is refused at %s: %s', (value, field, reason) => {
  expect(() => parseInput(body, value)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', details: { field, reason } }),
  );
});

test('an invalid body can be returned with all of its problems, unknown fields first', () => {
  const value = { name: '', count: 4, isOn: 1, nmae: 'x', zebra: 2 };
  const misfit = inputOrMisfit(body, value);
  expect(misfit).toEqual({
    body: value,
    faults: [
      { field: 'nmae', reason: 'is not a known field; did you mean name?' },
      { field: 'name', reason: 'must not be empty' },
      { field: 'isOn', reason: 'must be true or false' },
      { field: 'zebra', reason: 'is not a known field' },
    ],
  });
  expect(misfit instanceof BodyMisfit && misfit.rest()).toEqual({ count: 4 });
  expect(inputOrMisfit(body, good)).toEqual(good);
});

const query = pageQuery.extend({ channelId: z.string().optional(), since: instantQuery.optional() });

test('an empty cursor means the first page', () => {
  expect(readQuery(query, 'cursor=&channelId=c')).toEqual({ limit: 20, channelId: 'c' });
  expect(readQuery(query, '')).toEqual({ limit: 20 });
});

test.each([
  ['channel=c', 'channel', 'is not a known parameter; did you mean channelId?'],
  ['channel_id=c', 'channel_id', 'is not a known parameter; did you mean channelId?'],
  ['zebra', 'zebra', 'is not a known parameter'],
  ['filter[a]=1', 'filter[a]', 'is not a known parameter'],
  ['=1', '', 'is not a known parameter'],
  [`${'z'.repeat(100)}=1`, 'z'.repeat(64), 'is not a known parameter'],
  ['channelId=', 'channelId', 'must not be empty'],
  ['channelId', 'channelId', 'must not be empty'],
  ['since=', 'since', 'must not be empty'],
  ['limit=', 'limit', 'must not be empty'],
  ['limit=0&channelId=', 'channelId', 'must not be empty'],
  ['limit=0&zebra=', 'zebra', 'is not a known parameter'],
  ['limit=0', 'limit', 'must be a whole number from 1 to 100'],
])('the query %s is refused at %s: %s', (text, field, reason) => {
  expect(() => readQuery(query, text)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', details: { field, reason } }),
  );
});
