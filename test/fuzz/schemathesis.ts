import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ProgramUnavailable } from '../support/service/unavailable.ts';

const VERSION = '4.32.5';
const FOLDER = fileURLToPath(new URL(`../../node_modules/.cache/schemathesis-${VERSION}`, import.meta.url));

/** Path of schemathesis: in a virtual environment of this checkout, made on first use. Throws where Python or its registry is missing. */
export function findSchemathesis(print: (line: string) => void): string {
  const path = `${FOLDER}/bin/schemathesis`;
  if (existsSync(path)) return path;
  print(`Installing schemathesis ${VERSION} into ${FOLDER}`);
  run('python3', ['-m', 'venv', FOLDER]);
  run(`${FOLDER}/bin/pip`, ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]);
  return path;
}

function run(command: string, parameters: readonly string[]): void {
  const { error, status } = spawnSync(command, parameters, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined || status !== 0)
    throw new ProgramUnavailable(
      `The fuzz needs Python 3.10 or later with venv and pip, for schemathesis ${VERSION}: ${command} ${parameters.join(' ')} failed`,
      { cause: error },
    );
}
