import { expect, test } from '@jest/globals';
import { isInDoubt, isUnreachable, untilReachable } from './failures.ts';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

test.each([
  '08006',
  '57P01',
  '57P05',
  '25P03',
  '25P04',
  '53300',
  '53100',
  '25006',
  '40P01',
  'ECONNREFUSED',
  'EAI_AGAIN',
])('%s is an outage of ours: the same statement may work later', (code) => {
  expect(isUnreachable(withCode(code))).toBe(true);
});

test.each(['Connection terminated unexpectedly', 'Client has encountered a connection error and is not queryable'])(
  '"%s" is an outage',
  (message) => {
    expect(isUnreachable(new Error(message))).toBe(true);
  },
);

test.each(['23505', '22P02', '42601'])('%s is an error in the statement, which waiting does not fix', (code) => {
  expect(isUnreachable(withCode(code))).toBe(false);
});

test('retries until it succeeds, and throws at once if it is not an outage', async () => {
  const failures = [withCode('57P03'), withCode('ECONNREFUSED')];
  const work = async (): Promise<string> => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'done';
  };

  await expect(untilReachable(work, () => false)).resolves.toBe('done');
  await expect(
    untilReachable(
      () => Promise.reject(withCode('23505')),
      () => false,
    ),
  ).rejects.toThrow('failed');
  await expect(
    untilReachable(
      () => Promise.reject(withCode('57P03')),
      () => true,
    ),
  ).rejects.toThrow('failed');
});

test.each<[Error, boolean]>([
  [new Error('Connection terminated unexpectedly'), true],
  [withCode('57P01'), true],
  [withCode('ECONNRESET'), true],
  [withCode('25P04'), true],
  [withCode('ECONNREFUSED'), false],
  [Object.assign(withCode('ECONNRESET'), { syscall: 'connect' }), false],
  [withCode('57P03'), false],
  [withCode('57P05'), false],
  [withCode('25P03'), false],
  [new Error('Client has encountered a connection error and is not queryable'), false],
  [new Error('timeout exceeded when trying to connect'), false],
  [withCode('23505'), false],
])('%s: whether a statement under way may have been committed', (error, isIt) => {
  expect(isInDoubt(error)).toBe(isIt);
});
