import { expect, test } from '@jest/globals';
import { ApiError } from '../../../kernel/errors.ts';
import {
  atOnce,
  checkJson,
  MAX_BODY_CONTAINERS,
  refuseCostlyJson,
  refuseDoubledMembers,
  MAX_BODY_KEYS,
  MAX_CONTAINERS,
  MAX_DEPTH,
  MAX_KEYS,
} from './json-guard.ts';

function problemOf(body: unknown): { field: string; reason: string } | undefined {
  try {
    atOnce(checkJson(body));
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_REQUEST') return error.details;
    throw error;
  }
}
const nested = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1));
const withKeys = (count: number): unknown =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

test.each([
  ['a NUL in a string', '{"payload":{"a":"x\\u0000y"}}', 'payload.a', 'must not contain a NUL character'],
  [
    'a NUL in a key',
    '{"payload":{"a":{"x\\u0000":1}}}',
    'payload.a',
    'must not have a key that contains a NUL character',
  ],
  [
    'a high surrogate alone',
    '{"messages":[{},{"payload":{"a":["\\ud800"]}}]}',
    'messages[1].payload.a[0]',
    'must not contain half of a surrogate pair',
  ],
  [
    'a low surrogate alone in a key of the body',
    '{"\\udc00":1}',
    'body',
    'must not have a key that contains half of a surrogate pair',
  ],
  ['a number beyond a double', '{"payload":{"n":1e400}}', 'payload.n', 'must be a number that fits a double'],
  ['a negative number beyond a double', '[-1e400]', '[0]', 'must be a number that fits a double'],
  ['a text alone', '"\\u0000"', 'body', 'must not contain a NUL character'],
  ['a number alone', '1e999', 'body', 'must be a number that fits a double'],
])('%s is refused with its place', (_, text, field, reason) => {
  expect(problemOf(JSON.parse(text))).toEqual({ field, reason });
});

test.each(['{}', 'null', 'true', '"\\ud83d\\ude00"', '{"😀":["ü",1.5,null,false,{}]}'])('%s is accepted', (text) => {
  expect(problemOf(JSON.parse(text))).toBeUndefined();
});

test('names the first problem in the order of the text', () => {
  expect(problemOf({ a: { b: [1, Infinity] }, c: '\0' })?.field).toBe('a.b[1]');
});

test('32 levels are accepted and 33 rejected, with a payload counted from its own root', () => {
  expect(problemOf(nested(MAX_DEPTH))).toBeUndefined();
  expect(problemOf(nested(MAX_DEPTH + 1))?.reason).toBe('must be nested at most 32 levels deep');
  expect(problemOf({ payload: nested(MAX_DEPTH) })).toBeUndefined();
  expect(problemOf({ messages: [{ payload: nested(MAX_DEPTH) }] })).toBeUndefined();
  expect(problemOf({ messages: [{ payload: nested(MAX_DEPTH + 1) }] })?.field).toMatch(/^messages\[0\]\.payload\.a\.a/);
  expect(problemOf({ other: { payload: nested(MAX_DEPTH - 1) } })?.reason).toBe(
    'must be nested at most 32 levels deep',
  );
});

test('a million levels are rejected without a stack overflow', () => {
  expect(problemOf(JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000)))?.reason).toBe(
    'must be nested at most 32 levels deep',
  );
});

test('one payload may have 10,000 members and no more', () => {
  expect(problemOf({ payload: withKeys(MAX_KEYS) })).toBeUndefined();
  expect(problemOf({ payload: withKeys(MAX_KEYS + 1) })).toEqual({
    field: 'payload',
    reason: 'must have at most 10000 members, including those of nested objects',
  });
  const inside = { a: [{ b: withKeys(MAX_KEYS) }] };
  expect(problemOf({ messages: [{ payload: {} }, { payload: inside }] })?.field).toBe('messages[1].payload');
  expect(problemOf({ schema: withKeys(MAX_KEYS) })?.field).toBe('body');
});

test('each payload of a batch has its own limit of members, and all of them together 100,000', () => {
  const batch = (count: number, keys: number): unknown => ({
    messages: Array.from({ length: count }, () => ({ payload: withKeys(keys) })),
  });
  expect(problemOf(batch(9, MAX_KEYS))).toBeUndefined();
  expect(problemOf(batch(11, MAX_KEYS))).toEqual({
    field: 'body',
    reason: `must have at most ${MAX_BODY_KEYS} members, including those of nested objects`,
  });
});

test('extreme depth is noticed in the text, and brackets in strings do not count', () => {
  const reason = 'body: must be nested at most 32 levels deep';
  expect(() => atOnce(refuseCostlyJson('['.repeat(65)))).toThrow(reason);
  expect(() => atOnce(refuseCostlyJson('{"a":'.repeat(2_000_000)))).toThrow(reason);
  for (const text of [
    '['.repeat(64),
    '[]'.repeat(100),
    JSON.stringify('['.repeat(100)),
    JSON.stringify([`"${'['.repeat(100)}\\`, '{'.repeat(100)]),
    `"${'['.repeat(100)}`,
    '',
  ]) {
    expect(() => atOnce(refuseCostlyJson(text))).not.toThrow();
  }
});

test.each([
  ['{"a":1,"a":1}', 'a'],
  ['{"a" : {"b":1}, "c":["a"], "\\u0061"\n:2}', 'a'],
  ['{"x\\"":1,"x\\"":2}', 'x"'],
])('%s has a member twice', (text, field) => {
  expect(() => refuseDoubledMembers(text)).toThrow(
    expect.objectContaining({ details: { field, reason: 'must be given only once' } }),
  );
});

test.each(['{"a":"a","b":{"a":1,"a":2},"c":[{"a":1},"a"]}', '["a","a"]', '"a"', '{}', '{"a":"\\"a\\":"}'])(
  '%s has no duplicate member in its outermost object',
  (text) => {
    expect(() => refuseDoubledMembers(text)).not.toThrow();
  },
);

/** Whether the scan finds each element of `messages` as it stands in the text. */
test.each([
  ['[]', []],
  ['[ ]', []],
  ['[{}]', ['{}']],
  ['[ {"a":[1,2]}, "x,]" ,3]', [' {"a":[1,2]}', ' "x,]" ', '3']],
  ['[{},]', ['{}', '']],
  ['[,]', ['', '']],
])('the messages of %s are found', (array, found) => {
  const text = `{"x":[1],"messages":${array},"y":{"messages":[1]}}`;
  const { start, end, elements } = atOnce(refuseCostlyJson(text, BOUNDS)) ?? { start: 0, end: 0, elements: [] };
  expect(text.slice(start, end)).toBe(array);
  expect(elements.map((element) => text.slice(element.start, element.end))).toEqual(found);
});

const BOUNDS = { messages: 100, payloadBytes: 1000 };
const inMessages = (...messages: string[]): string =>
  `{"a":[1,{"payload":2}],"messages" : [${messages.join(',')}],"z":1}`;
const large = `{"x":"${'\\"'.repeat(500)}"}`;

test.each([
  [
    '100,001 arrays',
    `[${'[],'.repeat(MAX_CONTAINERS)}1]`,
    'body',
    `must have at most ${MAX_CONTAINERS} objects and arrays`,
  ],
  [
    '500,001 arrays in a batch',
    inMessages(...Array.from({ length: 10 }, () => `[${'[],'.repeat(50_000)}1]`)),
    'body',
    `must have at most ${MAX_BODY_CONTAINERS} objects and arrays`,
  ],
  ['two arrays of messages', '{"messages":[],"messages":[{}]}', 'messages', 'must be given only once'],
  [
    '101 messages',
    inMessages(...Array.from({ length: 101 }, () => '{}')),
    'messages',
    'must have at most 100 messages',
  ],
  ['1.7 million messages', inMessages('{},'.repeat(1_700_000)), 'messages', 'must have at most 100 messages'],
  ['a large payload', `{"eventType":"a","payload":${large}}`, 'payload', 'must have at most 1000 bytes'],
  [
    'a large text as payload',
    `{"payload": ${JSON.stringify('x'.repeat(1000))} , "a": 1}`,
    'payload',
    'must have at most 1000 bytes',
  ],
  [
    'a large third payload',
    inMessages('{}', '{"payload":{}}', `{"payload":${large},"eventType":"a"}`),
    'messages[2].payload',
    'must have at most 1000 bytes',
  ],
])('%s are refused by a scan of the text, before parsing', (_, text, field, reason) => {
  expect(() => atOnce(refuseCostlyJson(text, BOUNDS))).toThrow(expect.objectContaining({ details: { field, reason } }));
});

test.each([
  ['100,000 arrays', `[${'[],'.repeat(MAX_CONTAINERS - 2)}[]]`],
  ['100 messages', inMessages(...Array.from({ length: 100 }, () => '{"payload":{"a":[1,2]},"metadata":{"a":","}}'))],
  ['a long array that is not of messages', `{"payload":{"messages":[${'1,'.repeat(200)}1]}}`],
  ['commas inside of a message', inMessages(`{"payload":{},"x":[${'1,'.repeat(200)}1]}`)],
  ['white space around a payload', `{"payload":${' '.repeat(2000)}{}${' '.repeat(2000)}}`],
  ['a large field that is no payload', inMessages(`{"payload":{"payload":1},"x":${large}}`)],
  ['a text with brackets', `{"messages":["${'[{,'.repeat(2000)}"]}`],
  ['no object', '[[[]]]]]]],,,'],
])('%s pass the scan', (_, text) => {
  expect(() => atOnce(refuseCostlyJson(text, BOUNDS))).not.toThrow();
});
