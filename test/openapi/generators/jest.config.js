import { fileURLToPath } from 'node:url';
import own from '../../../jest.config.js';

const [, integration] = own.projects;

/** The generators alone, on the servers of the integration tests (main.ts). */
export default {
  ...integration,
  displayName: 'generators',
  rootDir: fileURLToPath(new URL('../../..', import.meta.url)),
  testMatch: ['<rootDir>/test/openapi/generators/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: [],
  testTimeout: own.testTimeout,
};
