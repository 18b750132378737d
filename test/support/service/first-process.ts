import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment, type EnvironmentVariables } from '../../../src/platform/config/config.ts';
import { BUILT } from './ensure-built.ts';
import { TEST_PROCESSES } from './processes.ts';

export type FirstProcess = {
  pid: number;
  /** Everything it has printed so far, on both streams. */
  output(): string;
  /** Resolves when it has exited; a null exit code means that a signal ended it. */
  ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
};

const repository = fileURLToPath(new URL('../../../', import.meta.url));
// Makes the command the first process of its own process namespace, as in a container, and returns its exit code.
const ALONE = ['unshare', '--pid', '--fork', '--kill-child'];
const canBeAlone = spawnSync(ALONE[0] ?? '', [...ALONE.slice(1), 'true']).status === 0;

/**
 * Runs `posthorn` as the first process of a container, which has no default action for signals. Where the system lets us make none,
 * it is a plain process: the default action then kills it, which is no exit code either.
 *
 * With `stopAt` it gets a SIGTERM at the moment at which it, or a service process of its own, begins to load the module whose address has
 * these words. `isForAll`: the process that loads gets one too, as every process of a unit of systemd does. `openFiles` is its limit of
 * them.
 */
export function startFirstProcess(
  parameters: readonly string[],
  variables: EnvironmentVariables,
  { stopAt, isForAll = false, openFiles }: { stopAt?: string; isForAll?: boolean; openFiles?: number } = {},
): FirstProcess {
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh'];
  const node = [...limited, process.execPath, ...probeFor(stopAt, isForAll), BUILT.main, ...parameters];
  const [command = '', ...rest] = canBeAlone ? [...ALONE, ...node] : node;
  const child = spawn(command, rest, {
    cwd: repository,
    env: childEnvironment({ PROCESSES: TEST_PROCESSES, ...variables }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return {
    pid: child.pid ?? 0,
    output: () => text,
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
    kill: (signal) => void child.kill(signal),
  };
}

/** Node passes its own options on to the service processes that a supervisor forks: they have the probe too, and a channel to it. */
function probeFor(stopAt: string | undefined, isForAll: boolean): string[] {
  if (stopAt === undefined) return [];
  const probe = `import { registerHooks } from 'node:module';
    const first = process.send === undefined ? process.pid : process.ppid;
    const stopped = ${isForAll} && first !== process.pid ? [first, process.pid] : [first];
    registerHooks({
      load(url, context, next) {
        if (url.includes(${JSON.stringify(stopAt)})) for (const pid of stopped.splice(0)) process.kill(pid, 'SIGTERM');
        return next(url, context);
      },
    });`;
  return ['--import', asModule(probe)];
}

const asModule = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
