import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { prepareBy, ProgramUnavailable } from '../../support/service/unavailable.ts';
import { findHelm, findKubeconform, findModels, findSchemas } from './programs.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const USAGE = `npm run chart -- [options]
  --prepare   finds or builds Helm and kubeconform, and fetches the types and schemas of Kubernetes objects, alone

Ends with 69 where Helm or the types cannot be had.`;

/** Kubeconform and its schemas; undefined, and said, on a machine without Go or pip: the types of Kubernetes find the same faults. */
function findForSchemas(): Record<string, string> | undefined {
  try {
    return { POSTHORN_CHART_KUBECONFORM: findKubeconform(print), POSTHORN_CHART_SCHEMAS: findSchemas(print) };
  } catch (failure) {
    if (!(failure instanceof ProgramUnavailable)) throw failure;
    print(`schemas.test.ts is left out: ${failure.message}`);
    return undefined;
  }
}

/** Variables of the tests: Helm and the types, and for schemas what can be had. Throws where Helm or the types cannot. */
function findPrograms(): { needed: Record<string, string>; forSchemas: Record<string, string> | undefined } {
  return {
    needed: { POSTHORN_CHART_HELM: findHelm(print), POSTHORN_CHART_MODELS: findModels(print) },
    forSchemas: findForSchemas(),
  };
}

/** Runs the tests of this folder with Helm, kubeconform, and the types and schemas of Kubernetes objects. */
function main(): number {
  const { values } = parseArgs({ options: { prepare: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    print(USAGE);
    return 0;
  }
  const prepared = prepareBy(findPrograms, print);
  if (values.prepare === true || prepared !== 0) return prepared;
  const { needed, forSchemas } = findPrograms();
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = pathOf('../../../node_modules/jest/bin/jest.js');
  const { status } = spawnSync(
    process.execPath,
    [...flags, jest, '--config', pathOf('jest.config.js'), ...(forSchemas === undefined ? ['chart/render'] : [])],
    {
      stdio: 'inherit',
      env: childEnvironment({ ...needed, ...forSchemas }),
    },
  );
  return status ?? 1;
}

process.exitCode = main();
