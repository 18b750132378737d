import { afterEach, expect, jest } from '@jest/globals';
import { hasFailedTest } from './failures.ts';
import { describeProcesses } from './processes.ts';

// A test that kills or starves processes depends on a machine that is not starved by something else: it is repeated once, and the
// first failure is printed, with what the processes had to say. Every other test has one go.
if (expect.getState().testPath?.includes('/test/faults/') === true) {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  afterEach(() => {
    const said = hasFailedTest() ? describeProcesses() : '';
    if (said !== '') process.stderr.write(`${said}\n`);
  });
}
