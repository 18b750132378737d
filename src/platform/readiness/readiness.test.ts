import { expect, test } from '@jest/globals';
import { createReadiness, type ReadinessCheck, waitingBy } from './readiness.ts';
import { NotReady } from '../../kernel/errors.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const answers = async (): Promise<void> => undefined;
const fails = (): Promise<never> => Promise.reject(new Error('gone'));

const look = (...checks: ReadinessCheck[]) => createReadiness(checks).look();

// Old: a check without an answer in time was shown as down.
test('a component that does not respond in time is late, and makes only those unready that require it', async () => {
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

test('a component that fails is down, not late', async () => {
  expect(await look({ name: 'redis', isRequired: false, run: fails })).toMatchObject({
    isReady: true,
    parts: { redis: 'down' },
    reasons: { redis: 'The redis cannot be checked' },
  });
});

test('a wait reports a reason once, again after a minute, and another reason at once', () => {
  let now = 0;
  const said: string[] = [];
  const failure = new NotReady('away', { advice: 'away' });
  const { tell } = waitingBy(
    (sentence) => said.push(sentence),
    new AbortController().signal,
    () => now,
  );
  for (now = 0; now <= 61_000; now += 1_000) tell('PostgreSQL is not there', failure);
  tell('no migration', failure);
  expect(said).toEqual(['PostgreSQL is not there', 'still: PostgreSQL is not there', 'no migration']);
});
