import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const JEST = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const USAGE = `npm test [-- parameters of jest]
  every test once, the unit tests with their coverage and then the integration tests; with parameters jest with these, such as
    npm test -- test/channels/channels.test.ts
    npm test -- -t 'is refused'
  npm run test:quick         the unit tests, and the folders of the API's behaviour that wait for no retry, lease or process
  npm run test:unit          the unit tests with their coverage
  npm run test:integration   the integration tests`;
const HERE = fileURLToPath(new URL('.', import.meta.url));

// Folders that hold every route of the API and what stands before it, and that wait for no retry delay, lease or killed process.
const QUICK = ['channels', 'contract', 'http', 'publishing', 'subscriptions'];
/** Files of these folders that ask each route in many ways: half a minute of a processor each, and more. */
const DEAR = ['endpoints', 'fields', 'isolation', 'isolation-lists', 'lists', 'people'];
// A moved folder would be left out unnoticed.
for (const path of [...QUICK, ...DEAR.map((name) => `contract/${name}.test.ts`)])
  if (!existsSync(HERE + path)) throw new Error(`test:quick names test/${path}, which is not there`);

const jest = (...parameters) => {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return spawnSync(process.execPath, [...flags, JEST, ...parameters], { stdio: 'inherit' }).status ?? 1;
};

function runQuick() {
  const others = String.raw`(?!(?:${DEAR.join('|')})\.test)`;
  const folders = QUICK.map((folder) => `${HERE}${folder}/`.replaceAll(/[^\w/-]/g, String.raw`\$&`) + others);
  return [jest('--selectProjects', 'unit'), jest('--selectProjects', 'integration', '--testPathPatterns', ...folders)];
}

function runAll() {
  return [
    jest('--selectProjects', 'unit', '--coverage'),
    jest('--selectProjects', 'integration', '--errorOnDeprecated'),
  ];
}

function run(given) {
  if (given.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return [0];
  }
  if (given.length === 1 && given[0] === '--quick') return runQuick();
  return given.length > 0 ? [jest(...given)] : runAll();
}

process.exitCode = Math.max(...run(process.argv.slice(2)));
