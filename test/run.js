// `npm test`: every test once, the unit tests with their coverage and then the integration tests. `npm run test:quick`: the unit tests
// and the folders of QUICK. With other arguments: jest with these.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const JEST = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

// Folders that hold every route of the API and what stands before it, and that wait for no retry delay, lease or killed process.
const QUICK = ['channels', 'contract', 'http', 'identity', 'publishing', 'subscriptions'];
// A moved folder would be left out unnoticed.
for (const folder of QUICK)
  if (!existsSync(HERE + folder)) throw new Error(`QUICK names test/${folder}, which is not there`);

const jest = (...parameters) => {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return spawnSync(process.execPath, [...flags, JEST, ...parameters], { stdio: 'inherit' }).status ?? 1;
};

function runQuick() {
  const folders = QUICK.map((folder) => `${HERE}${folder}/`.replaceAll(/[^\w/-]/g, String.raw`\$&`));
  return [jest('--selectProjects', 'unit'), jest('--selectProjects', 'integration', '--testPathPatterns', ...folders)];
}

function runAll() {
  return [
    jest('--selectProjects', 'unit', '--coverage'),
    jest('--selectProjects', 'integration', '--errorOnDeprecated'),
  ];
}

const given = process.argv.slice(2);
const isQuick = given.length === 1 && given[0] === '--quick';
const statuses = isQuick ? runQuick() : given.length > 0 ? [jest(...given)] : runAll();
process.exitCode = Math.max(...statuses);
