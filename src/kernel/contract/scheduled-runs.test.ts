import { expect, test } from '@jest/globals';
import { runOfWorkflowId } from './run-workflow.ts';
import { scheduleIdOf } from './scheduled-runs.ts';

test('a schedule’s id names its workflow, and its Temporal workflows are taken for no run', () => {
  const id = scheduleIdOf('wfl_01m84at59herab7n8zxe4s2brf');
  expect(id).toBe('workflow/wfl_01m84at59herab7n8zxe4s2brf');
  expect(runOfWorkflowId(`${id}-2026-11-23T09:00:00Z`)).toBeUndefined();
});
