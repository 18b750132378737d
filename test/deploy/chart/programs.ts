import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../../src/config.ts';

const HELM_VERSION = 'v3.22.0';
const MODELS = join(import.meta.dirname, 'models');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/** Path of Helm 3: the one on the PATH, or one that Go builds once outside the checkout. Throws with a sentence where there is neither. */
export function findHelm(print: (line: string) => void): string {
  const own = spawnSync('helm', ['version', '--template', '{{.Version}}'], { encoding: 'utf8' });
  if (own.error === undefined && own.stdout.startsWith('v3.')) return 'helm';
  const folder = join(homedir(), '.cache', 'posthorn', `helm-${HELM_VERSION}`);
  const path = join(folder, 'helm');
  if (existsSync(path)) return path;
  print(`Building Helm ${HELM_VERSION} by go install; this takes two minutes of a processor, once`);
  mkdirSync(folder, { recursive: true });
  run('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], { GOBIN: folder });
  return path;
}

/** Folder with the types and validators of Kubernetes objects (models/package-lock.json), installed on first use. */
export function findModels(print: (line: string) => void): string {
  const lock = readFileSync(join(MODELS, 'package-lock.json'));
  const folder = join(CACHE, `chart-models-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return folder;
  print(`Installing the types of Kubernetes objects into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(MODELS, name), join(folder, name));
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]);
  return folder;
}

function run(command: string, parameters: readonly string[], variables: Record<string, string> = {}): void {
  const { error, status } = spawnSync(command, parameters, {
    env: childEnvironment(variables),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined || status !== 0)
    throw new Error(
      `The chart is tried with Helm 3, or Go that builds it, and npm: ${command} ${parameters.join(' ')} failed`,
      {
        cause: error,
      },
    );
}
