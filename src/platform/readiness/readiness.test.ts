import { expect, test } from '@jest/globals';
import { createReadiness, type ReadinessCheck } from './readiness.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const answers = async (): Promise<void> => undefined;
const fails = (): Promise<never> => Promise.reject(new Error('gone'));

const look = (...checks: ReadinessCheck[]) => createReadiness(checks).look();

// Old: a check without an answer in time was shown as down.
test('a part without an answer in time is late, and unready is only who requires it', async () => {
  const database: ReadinessCheck = { name: 'database', isRequired: true, run: answers };
  const [optional, required] = await Promise.all([
    look(
      database,
      { name: 'redis', isRequired: false, run: never },
      { name: 'behind', isRequired: false, needs: 'redis', run: answers },
    ),
    look({ ...database, run: never }, { name: 'schema', isRequired: true, needs: 'database', run: answers }),
  ]);
  expect(optional).toEqual({
    isReady: true,
    parts: { database: 'up', redis: 'late', behind: 'unknown' },
    reasons: { redis: 'The check redis has no result yet' },
    failures: [],
    isUndecided: false,
  });
  expect(required).toMatchObject({
    isReady: false,
    parts: { database: 'late', schema: 'unknown' },
    reasons: { database: 'The check database has no result yet' },
    isUndecided: true,
  });
});

test('a part that fails is down, not late', async () => {
  expect(await look({ name: 'redis', isRequired: false, run: fails })).toMatchObject({
    isReady: true,
    parts: { redis: 'down' },
    reasons: { redis: 'The redis cannot be checked' },
  });
});
