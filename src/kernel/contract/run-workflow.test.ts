import { expect, test } from '@jest/globals';
import { runOfWorkflowId, runWorkflowId, withWords } from './run-workflow.ts';

test('a run and its round are read back from the id of their Temporal workflow', () => {
  const run = { runId: 'run_01', round: 2 };
  expect(runWorkflowId(run)).toBe('run/run_01/2');
  expect(runOfWorkflowId('run/run_01/2')).toEqual(run);
});

test('ids of other Temporal workflows name no run', () => {
  for (const id of ['run/run_01/0', 'run/run_01', 'run/run_01/2/3', 'delivery/dlv_1/1', 'run'])
    expect(runOfWorkflowId(id)).toBeUndefined();
});

test('a reason has the words of a person behind it, where there are any', () => {
  expect(withWords('ended in Temporal', undefined)).toBe('ended in Temporal');
  expect(withWords('ended in Temporal', 'closed for today')).toBe('ended in Temporal: closed for today');
});
