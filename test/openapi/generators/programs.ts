import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { ProgramUnavailable } from '../../support/service/unavailable.ts';

/** The generators as docs/reference/api-conventions.md names them, and mypy, which reads what two of them write. */
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const OF_PIP = ['openapi-python-client==0.29.1', 'datamodel-code-generator==0.89.0', 'pydantic==2.14.4', 'mypy==2.4.1'];
const OF_NPM = join(import.meta.dirname, 'npm');
/** A module with what the client of oapi-codegen imports. */
export const GO_MODULE = join(import.meta.dirname, 'go');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

type Print = (line: string) => void;

/**
 * Finds the programs, installed on first use: folders for the PATH, and the folder of npm's packages. Throws ProgramUnavailable where one
 * cannot be had.
 */
export function findPrograms(print: Print): { path: string[]; packages: string } {
  const packages = findPackages(print);
  return { path: [findOapiCodegen(print), findPython(print), join(packages, '.bin')], packages };
}

function findOapiCodegen(print: Print): string {
  const folder = join(homedir(), '.cache', 'posthorn', OAPI_CODEGEN.split('/').at(-1) ?? '');
  if (!existsSync(join(folder, 'oapi-codegen'))) {
    print(`Building ${OAPI_CODEGEN} by go install; this takes half a minute, once`);
    mkdirSync(folder, { recursive: true });
    run('go', ['install', OAPI_CODEGEN], { GOBIN: folder });
  }
  run('go', ['-C', GO_MODULE, 'mod', 'download']);
  return folder;
}

function findPython(print: Print): string {
  const folder = join(CACHE, `generators-python-${digestOf(OF_PIP.join(' '))}`);
  const path = join(folder, 'bin');
  if (existsSync(join(path, 'mypy'))) return path;
  print(`Installing ${OF_PIP.join(', ')} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(path, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...OF_PIP]);
  return path;
}

function findPackages(print: Print): string {
  const folder = join(CACHE, `generators-npm-${digestOf(readFileSync(join(OF_NPM, 'package-lock.json')))}`);
  const packages = join(folder, 'node_modules');
  if (existsSync(join(packages, '.package-lock.json'))) return packages;
  print(`Installing openapi-typescript and openapi-fetch into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(OF_NPM, name), join(folder, name));
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]);
  return packages;
}

const digestOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 12);

function run(command: string, parameters: readonly string[], variables: Record<string, string> = {}): void {
  const { error, status } = spawnSync(command, parameters, {
    env: childEnvironment(variables),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined || status !== 0)
    throw new ProgramUnavailable(
      `The generators need Go, npm, and Python 3.11 or later with venv and pip: ${command} ${parameters.join(' ')} failed`,
      { cause: error },
    );
}
