import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { prepareBy } from '../../support/service/unavailable.ts';
import { findPrograms } from './programs.ts';

const USAGE = `npm run generators -- [options]
  --prepare   installs oapi-codegen, openapi-python-client, datamodel-codegen and openapi-typescript alone; ends with 69 where one
              cannot be had`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Runs generators.test.ts, which starts and stops a service of its own. */
function main(): number {
  const { values } = parseArgs({ options: { prepare: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    print(USAGE);
    return 0;
  }
  if (values.prepare === true) return prepareBy(() => findPrograms(print), print);
  const { path, packages } = findPrograms(print);
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = pathOf('../../../node_modules/jest/bin/jest.js');
  const { status } = spawnSync(process.execPath, [...flags, jest, '--config', pathOf('jest.config.js')], {
    stdio: 'inherit',
    env: childEnvironment({ POSTHORN_GENERATORS_PATH: path.join(':'), POSTHORN_GENERATORS_PACKAGES: packages }),
  });
  return status ?? 1;
}

process.exitCode = main();
