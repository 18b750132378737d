import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const JEST = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const CHART = fileURLToPath(new URL('deploy/chart/main.ts', import.meta.url));
const EX_UNAVAILABLE = 69;
const USAGE = `npm test [-- parameters of jest]
  the core: the unit tests with their coverage, then the integration tests but for those whose names end in .whole.test.ts;
  with parameters jest with these, over all tests, such as
    npm test -- test/channels/channels.test.ts
    npm test -- -t 'is refused'
  npm run test:all    every test, and npm run chart
  npm run test:unit   the unit tests with their coverage`;

/** Runs jest. `tier` says to jest.config.js which integration tests there are. */
const jest = (tier, ...parameters) => {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const env = { ...process.env, POSTHORN_TEST_TIER: tier };
  return spawnSync(process.execPath, [...flags, JEST, ...parameters], { stdio: 'inherit', env }).status ?? 1;
};

const runTier = (tier) => [
  jest(tier, '--selectProjects', 'unit', '--coverage'),
  jest(tier, '--selectProjects', 'integration', '--errorOnDeprecated'),
];

/** The Helm chart, whose tests need Helm. Without it they do not run, which fails only where `CI` is set. */
function runChart() {
  const status = spawnSync(process.execPath, [CHART], { stdio: 'inherit' }).status ?? 1;
  if (status !== EX_UNAVAILABLE || !['', 'false', '0'].includes(process.env.CI ?? '')) return status;
  process.stdout.write('DID NOT RUN: npm run chart, for the reason above\n');
  return 0;
}

function run(given) {
  if (given.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return [0];
  }
  if (given.length === 0) return runTier('core');
  return given.length === 1 && given[0] === '--all' ? [...runTier('whole'), runChart()] : [jest('whole', ...given)];
}

process.exitCode = Math.max(...run(process.argv.slice(2)));
