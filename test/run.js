// `npm test`: every test once, the unit tests with their coverage and then the integration tests. With arguments: jest with these.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const JEST = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const jest = (...parameters) => {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return spawnSync(process.execPath, [...flags, JEST, ...parameters], { stdio: 'inherit' }).status ?? 1;
};

const given = process.argv.slice(2);
const statuses =
  given.length > 0
    ? [jest(...given)]
    : [jest('--selectProjects', 'unit', '--coverage'), jest('--selectProjects', 'integration', '--errorOnDeprecated')];
process.exitCode = Math.max(...statuses);
