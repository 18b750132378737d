import { expect, test } from '@jest/globals';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { problemsOf } from './problems.ts';

const checks = { expressions: createStepExpressions(), filterProblem: () => undefined, urlProblem: () => undefined };
const problemsIn = (step: unknown) => problemsOf({ steps: [step] }, checks).problems;

const reasonFor = (name: string): string => `belongs in config: write it as steps[0].config.${name}`;

// The reason was that the field is not known, with another one that was meant: "if" was "id".
test.each([
  ['if', { type: 'filter', if: 'true', config: { expression: 'true' } }],
  ['timeout', { type: 'action', timeout: '5s' }],
  ['retryPolicy', { type: 'action', retryPolicy: {}, config: { action: 'log' } }],
  ['onError', { type: 'end', onError: 'continue' }],
  ['output', { type: 'delay', output: 1, config: { for: '1s' } }],
  ['label', { type: 'no such type', label: 'x' }],
  ['expression', { type: 'filter', expression: 'true' }],
  ['action', { type: 'action', action: 'http' }],
  ['url', { type: 'action', url: 'https://a.example', config: { action: 'http' } }],
  ['eventTypes', { type: 'wait_for_event', eventTypes: ['a'] }],
])('a field of the config that stands on the step is told its place: %s', (name, step) => {
  expect(problemsIn({ id: 'a', ...step })).toEqual([{ field: `steps[0].${name}`, reason: reasonFor(name) }]);
});

test('reports all of them, but not fields that no config has', () => {
  expect(problemsIn({ id: 'a', type: 'filter', if: 'true', output: 1, url: 'x', constructor: 1 })).toEqual([
    { field: 'steps[0].if', reason: reasonFor('if') },
    { field: 'steps[0].output', reason: reasonFor('output') },
    { field: 'steps[0].url', reason: 'is not a known field' },
    { field: 'steps[0].constructor', reason: 'is not a known field' },
  ]);
  expect(problemsIn('a')).toEqual([{ field: 'steps[0]', reason: 'must be an object' }]);
  expect(problemsIn(null)).toHaveLength(1);
});
