import { beforeEach } from '@jest/globals';
import { hasFailedTest } from '../support/check/failures.ts';

// One failure has killed the mutant: the rest of the file would only take time.
beforeEach(() => {
  if (process.env['POSTHORN_MUTATIONS_TO_END'] === undefined && hasFailedTest())
    throw new Error('A test of this file has failed');
});
