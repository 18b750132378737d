import { expect, test } from '@jest/globals';
import { activitiesOf } from './worker-part.ts';

const reconcile = async (): Promise<number> => 1;
const removeExpired = async (): Promise<number> => 2;

test('a worker has the activities of all its parts, and a part may have none', async () => {
  const activities = activitiesOf([{ activities: { reconcile } }, {}, { activities: { removeExpired } }] as const);
  expect(activities).toEqual({ reconcile, removeExpired });
});

test('two parts with an activity of the same name are rejected, because one would hide the other', () => {
  expect(() => activitiesOf([{ activities: { reconcile } }, { activities: { reconcile } }] as const)).toThrow(
    'Two parts of the worker have an activity named reconcile',
  );
});
