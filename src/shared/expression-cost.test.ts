import { describe, expect, test } from '@jest/globals';
import { RE2JS } from 're2js';
import { createExpressions } from './expressions.ts';

const { compile } = createExpressions(
  { eventType: 'string', payload: 'map', metadata: 'map<string, string>' },
  (pattern) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  },
);
const costOf = (expression: string): number => compile(expression).cost.perCharacter;

describe('one character of the values costs', () => {
  test.each([
    ['true', 0],
    ['payload.paid', 0],
    ['!payload.paid && -payload.a < 1', 0],
    ['payload.a == "x"', 1],
    ['"x" != payload.a', 1],
    ['payload.a == payload.b', 16],
    ['payload.a == 1 && payload.b == 2 || payload.c == 3', 3],
    ['payload.a in ["x", "y"]', 8],
    ['"x" in payload.tags', 1],
    ['payload.a in payload.tags', 16],
    ['payload.a > 5', 1],
    ['payload.a + payload.b > 5', 4],
    // Each addition copies what the ones before it have made.
    ['payload.a + payload.a + payload.a + payload.a == payload.b', 49],
    ['payload.a * payload.b - payload.c / payload.d > 0', 0],
    ['payload.list[0] == 1', 1],
    ['payload.?a.orValue(0) > 1', 2],
    ['payload[?"a"].hasValue()', 1],
    ['(payload.a ? payload.b + "x" : "y") == "z"', 2],
    ['[payload.a, payload.b] == payload.c', 24],
    ['{"a": payload.a} == payload.b', 16],
    ['size(payload.a) > 1', 2],
    ['payload.a.startsWith("x")', 1],
    ['payload.a.contains("12345678")', 8.5],
    ['payload.a.indexOf("1234567812345678") > 0', 10],
    ['payload.a.split(",")[0] == "x"', 9.0625],
    ['payload.a.matches("^a+$")', 6],
    ['duration("5m") == duration("1s")', 0],
    ['duration(payload.a) > duration("1h")', 2],
  ])('for %s: %d', (expression, cost) => {
    expect(costOf(expression)).toBe(cost);
  });

  test.each([
    'payload.list.all(x, x > 1)',
    'payload.list.exists(x, x > 1)',
    'payload.list.exists_one(x, x > 1)',
    'payload.list.filter(x, x > 1) == []',
    'payload.list.map(x, x) == []',
    '[1, 2].exists(x, x == 1)',
    'true || payload.list.all(x, x > 1)',
    'cel.bind(a, payload.a, a + a == payload.b)',
    'payload.a.contains(payload.b)',
    'payload.a.indexOf(payload.b) > 0',
    'payload.a.lastIndexOf("x") > 0',
    'payload.a.split(payload.b) == []',
    'payload.list.join(",") == ""',
    'payload.a.matches("x") && payload.list.exists(x, x.matches("x"))',
  ])('more than can be said, for %s', (expression) => {
    expect(costOf(expression)).toBe(Number.POSITIVE_INFINITY);
  });
});

test('the variables that are looked at are known, those of comprehensions are none', () => {
  const readsOf = (expression: string): string[] => [...compile(expression).cost.reads];
  expect(readsOf('eventType == "a"')).toEqual(['eventType']);
  expect(readsOf('has(metadata.a) && payload.a.all(x, x == eventType)')).toEqual(['metadata', 'payload', 'eventType']);
  expect(readsOf('timestamp(0) == timestamp(1)')).toEqual([]);
});
