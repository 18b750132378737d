import { describe, expect, test } from '@jest/globals';
import { compilePattern } from '../pattern.ts';
import { createExpressions, explainFailure } from './expressions.ts';
import { STEP_LANGUAGE } from './language.ts';

const { compile } = createExpressions(compilePattern, STEP_LANGUAGE);

const values = {
  event: {
    eventType: 'order.created',
    payload: {
      lines: [
        { sku: 'A', price: 2 },
        { sku: 'B', price: 3.5 },
      ],
      note: ' hi ',
      tags: 'a,b',
      many: Array.from({ length: 1_000 }, (_, n) => n),
      text: 'x'.repeat(60_000),
      other: `${'x'.repeat(59_999)}y`,
      long: 'x'.repeat(250_000),
      words: Array.from({ length: 10_000 }, (_, n) => `word-${n}`),
    },
  },
  steps: { 'a-b': { output: { n: 1 } } },
  vars: {},
  item: null,
  index: 3n,
  workflow: {},
  run: {},
};

const evaluate = (expression: string): unknown => compile(expression).evaluate(values);

describe('an expression of a step creates strings and lists:', () => {
  test.each<[string, unknown]>([
    ['event.payload.lines.map(line, line.sku)', ['A', 'B']],
    ['event.payload.lines.map(line, line.price > 2.0, line.sku)', ['B']],
    ['event.payload.lines.filter(line, line.price > 2.0)', [{ sku: 'B', price: 3.5 }]],
    ['event.payload.lines.map(line, line.sku).join("-")', 'A-B'],
    ['event.payload.lines.map(line, line.sku).join()', 'AB'],
    ['"x" + event.eventType', 'xorder.created'],
    ['event.payload.lines + [1]', [{ sku: 'A', price: 2 }, { sku: 'B', price: 3.5 }, 1n]],
    ['event.payload.note.trim()', 'hi'],
    ['event.payload.tags.split(",")', ['a', 'b']],
    ['event.eventType.substring(6)', 'created'],
    ['event.eventType.substring(0, 5)', 'order'],
    ['steps["a-b"].output.n + 1', 2],
    ['event.payload.text.contains("xxx")', true],
    ['event.payload.text.contains("z")', false],
    ['event.payload.text == event.payload.other', false],
    ['event.payload.text == event.payload.long', false],
    ['index + 1', 4n],
    ['[event.eventType, 1]', ['order.created', 1n]],
    [
      'event.payload.lines.map(line, event.payload.lines.map(other, other.sku == line.sku))',
      [
        [true, false],
        [false, true],
      ],
    ],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

const WORK = 'takes more than 6000000 units of work: it goes through too much, or compares too much';
// `all` and `exists` pass over failures, each of which is as fast as the first.
const PASSED_OVER = `more than 50 failures: ${WORK}`;

test('an expression of a step can search for 1,000 strings in a list of 10,000 and compare 1,000 long ones', () => {
  expect(evaluate('event.payload.many.filter(a, "word-a" in event.payload.words)')).toEqual([]);
  expect(evaluate('event.payload.many.all(a, event.payload.text != event.payload.other)')).toBe(true);
  expect(
    evaluate(
      'event.payload.many.filter(a, timestamp("2026-01-31T12:00:00Z") - timestamp("2026-01-30T12:00:00Z") < duration("1h"))',
    ),
  ).toEqual([]);
});

describe('an expression of a step fails beyond its bounds:', () => {
  test.each([
    [
      'event.payload.many.map(a, event.payload.many.map(b, b))',
      'goes through more than 10000 elements in all, or makes lists of more',
    ],
    ['cel.bind(a, event.payload.text + event.payload.text, a + a)', 'makes more than 262144 characters of text'],
    ['event.payload.text.split("")', 'goes through more than 10000 elements in all, or makes lists of more'],
    ['event.payload.many.map(a, event.payload.text).join()', 'makes more than 262144 characters of text'],
    // Regression: items of nested lists were converted to strings before they were counted.
    [
      'event.payload.many.map(a, event.payload.words).join()',
      'line 1:1: string.join(): list must contain only strings',
    ],
    // Regression: each use was within its bound, but their sum was unbounded.
    ['event.payload.many.map(a, event.payload.many.filter(b, "no" in event.payload.words))', WORK],
    ['event.payload.many.map(a, [1, 2] in event.payload.words)', WORK],
    [
      'event.payload.many.filter(a, event.payload.many.exists(b, event.payload.text == event.payload.other))',
      PASSED_OVER,
    ],
    ['event.payload.many.filter(a, event.payload.many.all(b, event.payload.text < event.payload.other))', PASSED_OVER],
    [
      'event.payload.many.filter(a, event.payload.many.all(b, !event.payload.text.endsWith(event.payload.other)))',
      PASSED_OVER,
    ],
    [`event.payload.many.map(a, [${'duration(event.payload.tags), '.repeat(8)}1])`, WORK],
    [`event.payload.long.split("${'x'.repeat(900)}y${'x'.repeat(900)}")`, WORK],
  ])('%s', (expression, reason) => {
    let failure: unknown;
    try {
      evaluate(expression);
    } catch (error) {
      failure = error;
    }
    expect(explainFailure(expression, failure)).toBe(reason);
  });

  test('three levels of comprehensions are rejected', () => {
    expect(() => compile('[1].map(a, [1].map(b, [1].map(c, c)))')).toThrow(
      'all, exists, filter and map can be nested 2 levels deep',
    );
  });

  test('unknown variables and functions are rejected', () => {
    expect(() => compile('payload.a')).toThrow('line 1:1: Unknown variable: payload; in a step it is event.payload');
    expect(() => compile('amount > 1')).toThrow('; values of the payload are read as event.payload.amount');
    expect(() => compile('"a".replace("a", "b")')).toThrow('line 1:5: unknown function "replace"');
  });
});
