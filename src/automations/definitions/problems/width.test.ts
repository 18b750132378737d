import { describe, expect, test } from '@jest/globals';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { problemsOf } from './problems.ts';

const checks = { expressions: createStepExpressions(), filterProblem: () => undefined, urlProblem: () => undefined };
const fieldsOf = (steps: unknown): [string, string][] =>
  problemsOf({ trigger: { type: 'manual' }, steps }, checks).problems.map(({ field, reason }) => [field, reason]);
const log = (id: string, next?: string) => ({ id, type: 'action', ...(next !== undefined && { next }) });

describe('concurrent steps of a run', () => {
  const each = (id: string, body: string, config: object = {}) => ({
    id,
    type: 'foreach',
    config: { items: '[1, 2]', body, ...config },
  });
  test.each<[string, unknown, [string, string][]]>([
    ['a loop of 20', [each('a', 'b', { concurrency: 20 }), log('b')], []],
    ['10 in a loop of 5', [each('a', 'b', { concurrency: 5 }), each('b', 'c', { concurrency: 10 }), log('c')], []],
    [
      '20 in a loop of 20 that has 2 items at most',
      [each('a', 'b', { concurrency: 20, maxItems: 2 }), each('b', 'c', { concurrency: 20 }), log('c')],
      [],
    ],
    [
      '20 in a loop of 20, after another step',
      [each('a', 'b', { concurrency: 20 }), log('b', 'c'), each('c', 'd', { concurrency: 20 }), log('d')],
      [
        [
          'steps[0].config.concurrency',
          'with the loops inside it, up to 400 steps can run at the same time; the limit is 50 per run',
        ],
      ],
    ],
    [
      'three branches with loops of 20',
      [
        { id: 'all', type: 'parallel', config: { branches: ['a', 'b', 'c'] } },
        ...['a', 'b', 'c'].flatMap((id) => [each(id, `${id}1`, { concurrency: 20 }), log(`${id}1`)]),
      ],
      [
        [
          'steps[0].config.branches',
          'with the loops inside it, up to 60 steps can run at the same time; the limit is 50 per run',
        ],
      ],
    ],
  ])('%s', (_what, steps, problems) => {
    expect(fieldsOf(steps)).toEqual(problems);
  });
});
