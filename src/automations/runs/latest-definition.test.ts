import { expect, test } from '@jest/globals';
import { wayTo } from '../../kernel/contract/run-workflow.ts';
import { obstacleIn, type RecordedStep } from './kept-steps.ts';

const step = (id: string, type = 'action', next?: string) => ({ id, type, ...(next !== undefined && { next }) });
const definition = (...steps: object[]) => ({ trigger: { type: 'manual' }, steps });
const kept = (stepId: string, next: string | null): RecordedStep => ({
  stepId,
  iteration: '',
  type: 'action',
  status: 'completed',
  way: wayTo(next),
});
const failed: RecordedStep = { stepId: 'push', iteration: '', type: 'action', status: 'failed', way: 'failure' };

test('a run continues under a definition that has its failed step and all targets of kept steps', () => {
  const latest = definition(step('first', 'action', 'push'), step('push', 'action', 'more'), step('more'));
  expect(obstacleIn(latest, [kept('first', 'push'), failed])).toBeUndefined();
  expect(obstacleIn(latest, [kept('gone', 'push'), kept('more', null), { ...failed, type: 'item' }])).toBeUndefined();
});

test('the obstacle names the failed step that no longer exists or has another type', () => {
  expect(obstacleIn(definition(step('first')), [kept('first', null), failed])).toBe(
    'does not have the step push, at which this run would continue',
  );
  expect(obstacleIn(definition(step('first')), [kept('first', 'push'), failed])).toContain(
    'not have the step push, at which',
  );
  const changed = definition({ ...step('push', 'delay'), config: { for: '1s' } });
  expect(obstacleIn(changed, [failed])).toBe('changes the type of push, at which this run would continue, to delay');
});

test.each<Partial<RecordedStep>>([
  { status: 'cancelled', way: null },
  { status: 'failed', way: 'pause' },
  { status: 'completed', way: 'end:failed' },
])('a step that was cut off, waits for a person or ended the run is taken again, and must be there: %o', (state) => {
  expect(obstacleIn(definition(step('first')), [{ ...failed, ...state }])).toContain('not have the step push');
});

test('the obstacle names a missing target of a kept transition; a step in progress is not an obstacle', () => {
  expect(obstacleIn(definition(step('push')), [kept('first', 'middle'), failed])).toBe(
    'does not have the step middle, which follows first in this run',
  );
  expect(
    obstacleIn(definition(step('push')), [{ ...kept('loop', null), status: 'running', way: null }]),
  ).toBeUndefined();
});
