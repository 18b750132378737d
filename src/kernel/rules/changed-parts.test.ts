import { expect, test } from '@jest/globals';
import { changedParts } from './changed-parts.ts';

test('only the named fields are shown, as they were and as they are', () => {
  const before = { name: 'old', status: 'active', note: 'x' };
  expect(changedParts(before, { name: 'new', status: 'active' }, ['name', 'note'])).toEqual({
    before: { name: 'old', note: 'x' },
    after: { name: 'new', note: undefined },
  });
});
