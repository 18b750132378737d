import { expect, test } from '@jest/globals';
import { ENVIRONMENT_KINDS, otherThan } from './environment-kinds.ts';

test('the other one of each environment is the one that it is not', () => {
  expect(ENVIRONMENT_KINDS.map(otherThan)).toEqual(ENVIRONMENT_KINDS.toReversed());
});
