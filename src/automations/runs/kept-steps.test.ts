import { expect, test } from '@jest/globals';
import { type Way, wayTo } from '../../kernel/contract/run-workflow.ts';
import { keptBefore, type RecordedStep } from './kept-steps.ts';

const row = (stepId: string, way: Way | null, iteration = ''): RecordedStep => ({
  stepId,
  iteration,
  type: 'action',
  status: 'completed',
  way,
});
const definition = {
  trigger: { type: 'manual' },
  steps: [
    { id: 'each', type: 'foreach', config: { items: '[1]', body: 'note' }, next: 'both' },
    { id: 'note', type: 'action' },
    { id: 'both', type: 'parallel', config: { branches: ['left', 'right'] }, next: 'choose' },
    { id: 'left', type: 'action' },
    { id: 'right', type: 'action' },
    { id: 'choose', type: 'switch', config: { cases: [{ when: 'true', next: 'push' }], default: 'other' } },
    { id: 'other', type: 'action', next: 'push' },
    { id: 'push', type: 'action' },
  ],
};
const recorded = [
  row('each', wayTo('both')),
  row('note', wayTo(null), '0'),
  row('both', wayTo('choose')),
  row('left', wayTo(null)),
  row('right', wayTo(null)),
  row('choose', wayTo('push')),
  row('push', 'failure'),
];

test('the steps before a step keep their results, including those of their loops and branches', () => {
  expect(keptBefore(definition, recorded, 'push')).toEqual({
    stepIds: ['each', 'note', 'both', 'right', 'left', 'choose'],
  });
  expect(keptBefore(definition, recorded, 'both')).toEqual({ stepIds: ['each', 'note'] });
  expect(keptBefore(definition, recorded, 'each')).toEqual({ stepIds: [] });
});

test('a run cannot start again at a step that it did not pass or reach', () => {
  const obstacle = 'This run has not reached other';
  expect(keptBefore(definition, recorded, 'other')).toEqual({ obstacle });
  const before = recorded.filter(({ stepId }) => stepId !== 'push');
  expect(keptBefore(definition, before, 'push')).toEqual({ obstacle: 'This run has not reached push' });
  expect(keptBefore(definition, [row('each', null)], 'both')).toEqual({ obstacle: 'This run has not reached both' });
  expect(keptBefore(definition, [], 'each')).toEqual({ obstacle: 'This run has not reached each' });
});

test('reports the enclosing step of a step in a loop or branch, and a step that does not exist', () => {
  expect(keptBefore(definition, recorded, 'note')).toMatchObject({
    obstacle: expect.stringContaining('is inside each'),
  });
  expect(keptBefore(definition, recorded, 'left')).toMatchObject({
    obstacle: expect.stringContaining('is inside both'),
  });
  expect(keptBefore(definition, recorded, 'gone')).toEqual({
    obstacle: 'The definition of this run does not have the step gone',
  });
});
