import { afterEach, expect, jest } from '@jest/globals';
import { failedTests } from '../check/failures.ts';

// A test that kills or starves processes depends on a machine that nothing else starves: it is repeated once, and the first failure is
// printed with the output of its processes. Every other test runs once.
if (/\/test\/faults\//.test(expect.getState().testPath ?? '')) {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  let known = 0;
  afterEach(async () => {
    const failed = failedTests();
    if (failed > known) {
      // Loaded here: this file runs before every integration test, and most start no process.
      const { describeProcesses } = await import('./processes.ts');
      process.stderr.write(`${describeProcesses()}\n`);
    }
    known = failed;
  });
}
