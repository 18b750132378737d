import { fileURLToPath } from 'node:url';
import own from '../../jest.config.js';

const [, integration] = own.projects;

/** The fuzz alone, on the servers of the integration tests (main.ts). */
export default {
  ...integration,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  testMatch: ['<rootDir>/test/fuzz/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: [],
  testTimeout: own.testTimeout,
};
