import { cpus } from 'node:os';

/** Settings of all projects: TypeScript by swc, real ES modules (run with NODE_OPTIONS=--experimental-vm-modules). */
const project = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, sourceMaps: 'inline' }],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/', '<rootDir>/client/dist/'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/', '<rootDir>/.data/'],
  watchPathIgnorePatterns: ['<rootDir>/.data/', '<rootDir>/coverage/'],
};

/** `npm test` leaves out the files that only `npm run test:all` runs (docs/contributing/testing.md). */
const LEFT_OUT = process.env.POSTHORN_TEST_TIER === 'core' ? [String.raw`\.whole\.test\.ts$`] : [];

/** Folders of pure functions: every line and branch of them is tested. */
const PURE = ['src/kernel/', 'src/kernel/contract/', 'src/messaging/filters/expressions/'];
const WHOLE = { statements: 100, branches: 100, functions: 100, lines: 100 };

export default {
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/src/**/*.test.ts',
        '<rootDir>/local/**/*.test.ts',
        '<rootDir>/workflows/**/*.test.ts',
        '<rootDir>/activities/**/*.test.ts',
        '<rootDir>/client/test/**/*.test.ts',
        '<rootDir>/dashboard/test/**/*.test.ts',
        // The checker of the faults is pure, and is to be trusted before any run of them.
        '<rootDir>/test/topology/ledger/**/*.test.ts',
      ],
    },
    {
      ...project,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      // They have commands of their own: `npm run topology`, `npm run fuzz`, which needs Python and minutes, `npm run generators`
      // and `npm run chart`.
      testPathIgnorePatterns: [
        ...project.testPathIgnorePatterns,
        ...LEFT_OUT,
        '<rootDir>/test/topology/',
        '<rootDir>/test/fuzz/',
        '<rootDir>/test/openapi/generators/',
        '<rootDir>/test/deploy/chart/',
      ],
      // PostgreSQL and Temporal are started once, for the first integration test; unit tests never wait for them.
      globalSetup: '<rootDir>/test/support/service/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/service/global-teardown.ts',
      setupFilesAfterEnv: ['<rootDir>/test/support/service/repeat-faults.ts'],
    },
    {
      // The service as it is deployed: npm run topology. Its files start their own servers. Nothing is repeated here: a breach that
      // shows in one run of twenty is what the campaign is for.
      ...project,
      displayName: 'topology',
      testMatch: ['<rootDir>/test/topology/*.test.ts'],
    },
  ],
  // A test waits for real PostgreSQL, a real Temporal server and retry delays of whole seconds. The limit is longer than several waits
  // of test/support/check/wait-for.ts, because a wait that fails names its condition and this limit does not.
  testTimeout: 150_000,
  // Many test files wait for most of their time (for leases, retry delays and processes). Five at a time on two processors make some
  // of them too slow for their own deadlines. More than eight are too many for one PostgreSQL and one Temporal server.
  maxWorkers: Math.min(8, 2 * cpus().length),
  // Each file leaves some 25 MB behind in its worker, because Node frees no module of a finished context. At 4 GB a look for garbage took
  // 11 s, in which a test is late for everything, and in the end a worker died. A new one begins in its place, between two files.
  workerIdleMemoryLimit: '1GB',
  testSequencer: './test/support/service/longest-first.js',
  // Counted and checked with --coverage (npm run test:unit).
  collectCoverageFrom: [...PURE.map((path) => `${path}**/*.ts`), 'src/platform/new-id.ts', '!**/*.test.ts'],
  coverageThreshold: Object.fromEntries([...PURE, 'src/platform/new-id.ts'].map((path) => [`./${path}`, WHOLE])),
  coverageReporters: ['text', 'json-summary'],
};
