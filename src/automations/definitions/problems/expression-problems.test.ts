import { expect, test } from '@jest/globals';
import { STEP_ERRORS } from '../../../kernel/contract/run-outline.ts';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { problemsOf } from './problems.ts';

const checks = { expressions: createStepExpressions(), filterProblem: () => undefined, urlProblem: () => undefined };
const problemsIn = (steps: object[]) => problemsOf({ steps }, checks).problems;
const log = (id: string, next?: string) => ({ id, type: 'action', config: { action: 'log' }, ...(next && { next }) });

test('a step on one of two paths can only be read in an optional form after they meet', () => {
  const set = { x: '{{ steps.a.output }}', y: '{{ steps["get-b"].output }}', z: '{{ steps.?a.output }}' };
  // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
  const ways = { then: 'a', else: 'get-b' };
  const steps = [
    { id: 'if', type: 'condition', config: { expression: 'true', ...ways } },
    log('a', 'end'),
    log('get-b', 'end'),
    { id: 'end', type: 'transform', config: { set } },
  ];
  expect(problemsIn(steps)).toEqual([
    {
      field: 'steps[3].config.set.x',
      reason:
        'steps.a may be missing: a run can come to step "end" without it; write steps.?a.output.orValue(null), or ask has(steps.a) first',
    },
    {
      field: 'steps[3].config.set.y',
      reason:
        'steps["get-b"] may be missing: a run can come to step "end" without it; write steps[?"get-b"].output.orValue(null), or ask steps[?"get-b"].hasValue() first',
    },
  ]);
});

test('refuses error names that no step fails with', () => {
  const config = {
    action: 'http',
    url: 'https://a.example',
    retryPolicy: { nonRetryableErrors: ['HTTP_4XX', 'HTTP_404', 'NETWROK'] },
    onError: [{ errors: ['HTTP_5XX', 'TIMEOUT', 'HTTP_6XX', '*'], next: 'b' }],
  };
  const unknown = (name: string, nearest: string): string =>
    `must be an error that a step can fail with, not "${name}"; known: ${STEP_ERRORS.join(', ')}, a status such as HTTP_404, HTTP_4XX or HTTP_5XX for all statuses of a class, or * for all; did you mean ${nearest}?`;
  expect(problemsIn([{ id: 'a', type: 'action', config, next: 'b' }, log('b')])).toEqual([
    { field: 'steps[0].config.onError[0].errors[2]', reason: unknown('HTTP_6XX', 'HTTP_4XX') },
    { field: 'steps[0].config.retryPolicy.nonRetryableErrors[2]', reason: unknown('NETWROK', 'NETWORK') },
  ]);
});
