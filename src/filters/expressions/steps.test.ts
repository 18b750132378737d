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

describe('an expression of a step makes texts and lists:', () => {
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

describe('an expression of a step fails beyond its bounds:', () => {
  test.each([
    [
      'event.payload.many.map(a, event.payload.many.map(b, b))',
      'goes through more than 10000 elements in all, or makes lists of more',
    ],
    ['cel.bind(a, event.payload.text + event.payload.text, a + a)', 'makes more than 262144 characters of text'],
    ['event.payload.text.split("")', 'goes through more than 10000 elements in all, or makes lists of more'],
    ['event.payload.many.map(a, event.payload.text).join()', 'makes more than 262144 characters of text'],
  ])('%s', (expression, reason) => {
    let failure: unknown;
    try {
      evaluate(expression);
    } catch (error) {
      failure = error;
    }
    expect(explainFailure(expression, failure)).toBe(reason);
  });

  test('three levels of comprehensions are refused', () => {
    expect(() => compile('[1].map(a, [1].map(b, [1].map(c, c)))')).toThrow(
      'all, exists, filter and map may stand 2 levels inside each other',
    );
  });

  test('a variable that there is not is refused, and so is a function', () => {
    expect(() => compile('payload.a')).toThrow('line 1:1: Unknown variable: payload');
    expect(() => compile('"a".replace("a", "b")')).toThrow('line 1:5: unknown function "replace"');
  });
});
