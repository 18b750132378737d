import { expect, jest } from '@jest/globals';

// A test that kills or starves processes depends on a machine that is not starved by something else: it is repeated once, and the
// first failure is printed. Every other test has one go.
if (expect.getState().testPath?.includes('/test/faults/') === true) jest.retryTimes(1, { logErrorsBeforeRetry: true });
