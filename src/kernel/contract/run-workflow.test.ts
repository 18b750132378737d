import { expect, test } from '@jest/globals';
import {
  runOfWorkflowId,
  runWorkflowId,
  withWords,
  endOf,
  iterationOf,
  iterationsAround,
  meansError,
  stepBehind,
  stepKey,
  wayAfterFailure,
  wayTo,
  wayToEnd,
  scheduleIdOf,
} from './run-workflow.ts';

test('a run and its round can be read from the id of their Temporal workflow', () => {
  const run = { runId: 'run_01', round: 2 };
  expect(runWorkflowId(run)).toBe('run/run_01/2');
  expect(runOfWorkflowId('run/run_01/2')).toEqual(run);
});

test('ids of other Temporal workflows do not name a run', () => {
  for (const id of ['run/run_01/0', 'run/run_01', 'run/run_01/2/3', 'delivery/dlv_1/1', 'run'])
    expect(runOfWorkflowId(id)).toBeUndefined();
});

test('a reason is followed by the text of a person, if there is one', () => {
  expect(withWords('ended in Temporal', undefined)).toBe('ended in Temporal');
  expect(withWords('ended in Temporal', 'closed for today')).toBe('ended in Temporal: closed for today');
});

test('a transition leads to a step, to the end of its chain, or out of the run', () => {
  expect(stepBehind(wayTo('notify'))).toBe('notify');
  expect(stepBehind(wayTo(null))).toBeNull();
  expect([wayToEnd('completed'), 'failure', 'pause'].map((way) => stepBehind(way as 'failure'))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(endOf(wayToEnd('cancelled'))).toBe('cancelled');
  expect(endOf('failure')).toBeUndefined();
  expect(endOf(wayTo('end:failed'))).toBeUndefined();
});

test('a listed code matches its own error, HTTP_4XX every status of its class, and * every error', () => {
  expect(meansError('TIMEOUT', 'TIMEOUT')).toBe(true);
  expect(meansError('HTTP_4XX', 'HTTP_404')).toBe(true);
  expect(meansError('HTTP_404', 'HTTP_404')).toBe(true);
  expect(meansError('*', 'INTERNAL')).toBe(true);
  expect(meansError('HTTP_4XX', 'HTTP_500')).toBe(false);
  expect(meansError('HTTP_4XX', 'HTTP_4')).toBe(false);
});

test('a failed step continues, waits for a person, takes its first matching branch, or fails its run', () => {
  const branches = [
    { errors: ['HTTP_4XX'], next: 'alert' },
    { errors: ['*'], next: 'late' },
  ];
  expect(wayAfterFailure({ onError: 'continue', next: 'b' }, 'TIMEOUT')).toBe('>b');
  expect(wayAfterFailure({ onError: 'pause', next: 'b' }, 'TIMEOUT')).toBe('pause');
  expect(wayAfterFailure({ onError: 'fail', next: 'b' }, 'TIMEOUT')).toBe('failure');
  expect(wayAfterFailure({ onError: branches, next: 'b' }, 'HTTP_404')).toBe('>alert');
  expect(wayAfterFailure({ onError: branches, next: 'b' }, 'NETWORK')).toBe('>late');
  expect(wayAfterFailure({ onError: branches.slice(0, 1), next: 'b' }, 'NETWORK')).toBe('failure');
});

test('the key of a step in a loop contains its item numbers, and the step sees the results of the loops around it', () => {
  expect(stepKey('push', iterationOf('', 3))).toBe('push#3');
  expect(iterationOf('3', 1)).toBe('3.1');
  expect(iterationsAround('')).toEqual(['']);
  expect(iterationsAround('3.1')).toEqual(['', '3', '3.1']);
});

test('the id of a schedule contains its workflow, and its Temporal workflows are not mistaken for runs', () => {
  const id = scheduleIdOf('wfl_01m84at59herab7n8zxe4s2brf');
  expect(id).toBe('workflow/wfl_01m84at59herab7n8zxe4s2brf');
  expect(runOfWorkflowId(`${id}-2026-11-23T09:00:00Z`)).toBeUndefined();
});
