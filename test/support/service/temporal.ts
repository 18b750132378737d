import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { expect } from '@jest/globals';
import { currentRun } from './run.ts';

export type TestTemporal = {
  /** host:port of the server of this run. */
  address: string;
  namespace: string;
  /** A task queue of this call's own: files run side by side on one server and must not take each other's tasks. */
  taskQueue: string;
};

/** The Temporal server of this run and a task queue that nobody else uses. */
export function createTestTemporal(): TestTemporal {
  const file = basename(expect.getState().testPath ?? 'unknown').replace('.test.ts', '');
  return {
    address: currentRun().temporalAddress,
    namespace: 'default',
    taskQueue: `test-${file}-${randomBytes(4).toString('hex')}`,
  };
}
