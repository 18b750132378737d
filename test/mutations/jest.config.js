import { fileURLToPath } from 'node:url';
import own from '../../jest.config.js';

const [, integration] = own.projects;
const [[pattern, [, options]]] = Object.entries(integration.transform);

/** The integration tests over a tree with one mutation (run-mutant.ts). */
export default {
  ...integration,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  // The servers are there, and serve one mutant after the other.
  globalSetup: undefined,
  globalTeardown: undefined,
  setupFilesAfterEnv: ['<rootDir>/test/mutations/end-at-failure.ts'],
  transform: { [pattern]: ['<rootDir>/test/mutations/transform.js', options] },
  testTimeout: own.testTimeout,
  // A mutant that survives its tests is known by their exit code alone.
  reporters: ['<rootDir>/test/mutations/reporter.js'],
};
