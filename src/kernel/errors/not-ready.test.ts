import { expect, test } from '@jest/globals';
import { NotReady } from './not-ready.ts';

test('a reason is for callers, the advice for the operator; waiting helps unless it says otherwise', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.1:5432');
  const away = new NotReady('The database cannot be reached', { advice: 'DATABASE_URL: …', cause });
  expect(away).toMatchObject({ name: 'NotReady', message: 'The database cannot be reached', isLasting: false, cause });
  expect(new NotReady('No', { advice: 'REDIS_URL: …', isLasting: true })).toMatchObject({
    advice: 'REDIS_URL: …',
    isLasting: true,
  });
});
