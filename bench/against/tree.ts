import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { arch, homedir, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// Next to the Temporal server that `start` keeps: an old tree is built once for all benchmarks against it.
const CACHE = join(homedir(), '.cache', 'posthorn', 'bench');

/** Returns its output. The error contains its stderr when it fails. */
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 30 });

/** Creates a folder of the cache once, under a temporary name first, so that an interrupted run leaves nothing that looks complete. */
function once(name: string, make: (folder: string) => void): string {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    make(unfinished);
    renameSync(unfinished, folder);
  } catch (failure) {
    rmSync(unfinished, { recursive: true, force: true });
    throw failure;
  }
  return folder;
}

/** Checks out a commit, installs its dependencies and builds it, with the Node of this process. */
export function prepareTree(commit: string, onProgress: (line: string) => void): { folder: string; commit: string } {
  const hash = run('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], ROOT).trim();
  const folder = once(hash.slice(0, 12), (unfinished) => {
    onProgress(`Building ${hash.slice(0, 12)} in ${CACHE}; the next time it is there`);
    const archive = join(unfinished, 'tree.tar');
    run('git', ['archive', '--output', archive, hash], ROOT);
    run('tar', ['-xf', archive], unfinished);
    rmSync(archive);
    run('npm', ['ci', '--silent'], unfinished);
    if (!existsSync(join(unfinished, 'dist'))) run('npm', ['run', 'build', '--silent'], unfinished);
  });
  return { folder, commit: hash.slice(0, 12) };
}

/** Returns the path of a Node of that version, from the npm package with the program for this machine. */
export function prepareNode(version: string, onProgress: (line: string) => void): string {
  const name = `node-${platform()}-${arch()}`;
  const folder = once(`${name}-${version}`, (unfinished) => {
    onProgress(`Installing Node ${version} in ${CACHE}`);
    writeFileSync(join(unfinished, 'package.json'), '{ "private": true }');
    run('npm', ['install', '--silent', '--no-save', '--ignore-scripts', `${name}@${version}`], unfinished);
  });
  return join(folder, 'node_modules', name, 'bin', 'node');
}
