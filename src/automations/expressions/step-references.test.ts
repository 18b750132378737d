import { expect, test } from '@jest/globals';
import { createStepExpressions } from './expressions.ts';

const { check } = createStepExpressions();
const firmIn = (expression: string): string => [...check(expression).firm].toSorted().join(' ');

test('reports a member that no step has, but not members of its output', () => {
  expect(check('steps.a.total > 1 || steps["b-c"].body.id == "" || steps.d.output.total > 1').misread).toEqual([
    { id: 'a', member: 'total' },
    { id: 'b-c', member: 'body' },
  ]);
  expect(check('steps.a.error.code == "" && steps.?b.output.x.orValue(1) > 0 && has(steps.c)').misread).toEqual([]);
});

test.each([
  ['steps.a.output.x + steps["b-c"].output.y', 'a b-c'],
  ['event.payload[steps.a.output]', 'a'],
  ['steps.a.output.?x.orValue(0)', 'a'],
  ['steps.?a.output.x.orValue(0)', ''],
  ['steps[?"a-b"].output', ''],
  ['has(steps.a)', ''],
  // The step itself must be there.
  ['has(steps.a.output)', 'a'],
  ['has(steps.a) ? steps.a.output : steps.b.output', 'b'],
  ['has(steps.a) ? 1 : steps.a.output', 'a'],
  ['!has(steps.a) ? 1 : steps.a.output', ''],
  ['has(steps.a) && (event.payload.x && steps.a.output.ok)', ''],
  ['(has(steps.a) && has(steps.b)) && steps.a.output == steps.b.output', ''],
  ['!has(steps.a) || steps.a.output.ok', ''],
  ['has(steps.a) || steps.a.output.ok', 'a'],
  ['!has(steps.a) || !has(steps.b) || steps.a.output == steps.b.output', ''],
  ['steps.?a.hasValue() ? steps.a.output : null', ''],
  ['[1].all(x, has(steps.a) && x == steps.a.output)', ''],
])('%s needs the steps "%s"', (expression, ids) => {
  expect(firmIn(expression)).toBe(ids);
});
