import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { ExactJson, stringifyExact } from '../../../kernel/values/exact-json.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../../kernel/values/ids.ts';
import { exactObject, idOf, noBody, pageOf, time } from './answer-fields.ts';

const TAIL = `01m${'0'.repeat(23)}`;
const isRight = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

test('an id schema accepts what isId accepts, and only ids of its own kind', () => {
  // `as`: the keys are all kinds there are.
  for (const kind of Object.keys(ID_PREFIXES) as IdKind[]) {
    const id = `${ID_PREFIXES[kind]}_${TAIL}`;
    for (const text of [id, id.slice(0, -1), `${id}0`, `${id}\n`, id.toUpperCase(), `x${id}`, `xxx_${TAIL}`, ''])
      expect([text, isRight(idOf(kind), text)]).toEqual([text, isId(kind, text)]);
  }
});

test('a time is a Date in code, and exactly what Date writes on the wire', () => {
  const date = new Date('2026-01-31T12:00:00.000Z');
  expect(time.parse(JSON.parse(JSON.stringify(date)))).toEqual(date);
  expect(time.encode(date)).toBe(date.toISOString());
  for (const text of ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00.000+01:00', '2026-02-30T12:00:00.000Z', 'now', 0])
    expect([text, isRight(time, text)]).toEqual([text, false]);
});

test('an exact object is the same JSON on both sides', () => {
  const exact = new ExactJson('{"n":1}');
  expect(exactObject.parse(JSON.parse(stringifyExact(exact)))).toEqual(exact);
  expect(exactObject.encode(exact)).toEqual({ n: 1 });
  expect(isRight(exactObject, [1])).toBe(false);
});

test('a page must have a cursor if, and only if, there is more, and nothing else', () => {
  const page = pageOf(z.number());
  expect(isRight(page, { data: [1], pagination: { hasMore: false } })).toBe(true);
  expect(isRight(page, { data: [], pagination: { hasMore: true, cursor: 'x' } })).toBe(true);
  expect(isRight(page, { data: [], pagination: { hasMore: true } })).toBe(false);
  expect(isRight(page, { data: [], pagination: { hasMore: false, cursor: 'x' } })).toBe(false);
  expect(isRight(page, { data: ['1'], pagination: { hasMore: false } })).toBe(false);
  expect(isRight(page, { data: [], pagination: { hasMore: false }, total: 0 })).toBe(false);
});

test('a response without a body has no JSON', () => {
  expect(isRight(noBody, undefined)).toBe(true);
  for (const value of [null, {}, '', false]) expect(isRight(noBody, value)).toBe(false);
});
