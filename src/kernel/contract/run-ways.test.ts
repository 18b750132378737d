import { expect, test } from '@jest/globals';
import {
  endOf,
  iterationOf,
  iterationsAround,
  meansError,
  stepBehind,
  stepKey,
  wayAfterFailure,
  wayTo,
  wayToEnd,
} from './run-ways.ts';

test('a way leads to a step, to the end of its chain, or out of the run', () => {
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

test('a listed code means its own error, HTTP_4XX every status of its hundred, and * every error', () => {
  expect(meansError('TIMEOUT', 'TIMEOUT')).toBe(true);
  expect(meansError('HTTP_4XX', 'HTTP_404')).toBe(true);
  expect(meansError('HTTP_404', 'HTTP_404')).toBe(true);
  expect(meansError('*', 'INTERNAL')).toBe(true);
  expect(meansError('HTTP_4XX', 'HTTP_500')).toBe(false);
  expect(meansError('HTTP_4XX', 'HTTP_4')).toBe(false);
});

test('a failed step goes on, waits for a person, takes its first fitting branch, or fails its run', () => {
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

test('a step of a loop has the places of its items in its key, and sees the results of the loops around it', () => {
  expect(stepKey('push', iterationOf('', 3))).toBe('push#3');
  expect(iterationOf('3', 1)).toBe('3.1');
  expect(iterationsAround('')).toEqual(['']);
  expect(iterationsAround('3.1')).toEqual(['', '3', '3.1']);
});
