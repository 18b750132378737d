import { fileURLToPath } from 'node:url';
import own from '../../../jest.config.js';

const [unit] = own.projects;

/** The rendered chart alone (main.ts): no server is started. */
export default {
  ...unit,
  displayName: 'chart',
  rootDir: fileURLToPath(new URL('../../..', import.meta.url)),
  testMatch: ['<rootDir>/test/deploy/chart/*.test.ts'],
  testTimeout: own.testTimeout,
};
