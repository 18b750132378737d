import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment, type EnvironmentVariables } from '../../../src/config.ts';
import { BUILT } from './ensure-built.ts';
import { TEST_PROCESSES } from './processes.ts';

export type FirstProcess = {
  pid: number;
  /** Everything it has printed so far, both streams. */
  output(): string;
  /** Resolves when it is gone; a null exit code means that a signal ended it. */
  ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
};

const repository = fileURLToPath(new URL('../../../', import.meta.url));
// Makes the command the first process of its own process namespace, as that of a container is, and hands its exit code on.
const ALONE = ['unshare', '--pid', '--fork', '--kill-child'];
const canBeAlone = spawnSync(ALONE[0] ?? '', [...ALONE.slice(1), 'true']).status === 0;

/**
 * Runs `posthorn` as the first process of a container, which has no default action for signals. Where the system lets us make none,
 * it is a plain process: the default action then kills it, which is no exit code either.
 *
 * With `stopAt` it gets a SIGTERM at the moment at which it begins to load the module whose address has these words. `openFiles` is
 * its limit of them.
 */
export function startFirstProcess(
  parameters: readonly string[],
  variables: EnvironmentVariables,
  { stopAt, openFiles }: { stopAt?: string; openFiles?: number } = {},
): FirstProcess {
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh'];
  const node = [...limited, process.execPath, ...probeFor(stopAt), BUILT.main, ...parameters];
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

function probeFor(stopAt: string | undefined): string[] {
  if (stopAt === undefined) return [];
  const probe = `import { registerHooks } from 'node:module';
    let isSent = false;
    registerHooks({
      load(url, context, next) {
        if (!isSent && url.includes(${JSON.stringify(stopAt)})) { isSent = true; process.kill(process.pid, 'SIGTERM'); }
        return next(url, context);
      },
    });`;
  return ['--import', asModule(probe)];
}

const asModule = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
