import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { expect } from '@jest/globals';
import { currentRun } from './run.ts';

export type TestTemporal = {
  /** host:port of the server of this run. */
  address: string;
  namespace: string;
  /** A task queue for this call: files run concurrently on one server and must not receive each other's tasks. */
  taskQueue: string;
};

/** Returns the Temporal server of this run and a task queue that nothing else uses. */
export function createTestTemporal(): TestTemporal {
  const file = basename(expect.getState().testPath ?? 'unknown').replace('.test.ts', '');
  return {
    address: currentRun().temporalAddress,
    namespace: 'default',
    taskQueue: `test-${file}-${randomBytes(4).toString('hex')}`,
  };
}
