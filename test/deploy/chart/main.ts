import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../src/config.ts';
import { findHelm, findModels } from './programs.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Runs render.test.ts with Helm and the models of Kubernetes objects. */
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    pathOf('../../../node_modules/jest/bin/jest.js'),
    '--config',
    pathOf('jest.config.js'),
  ],
  {
    stdio: 'inherit',
    env: childEnvironment({ POSTHORN_CHART_HELM: findHelm(print), POSTHORN_CHART_MODELS: findModels(print) }),
  },
);
process.exitCode = status ?? 1;
