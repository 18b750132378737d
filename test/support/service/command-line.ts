import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment, type EnvironmentVariables } from '../../../src/platform/config/config.ts';
import { BUILT } from './ensure-built.ts';
import { TEST_PROCESSES } from './processes.ts';
import { waitFor } from '../check/wait-for.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const command = [BUILT.main];
/** A started machine needs 3 s; the two cores are shared with other test files. */
const READY_WITHIN_MS = 120_000;

export type CommandResult = { exitCode: number; output: string; errors: string };

export type StartedPosthorn = {
  child: ChildProcess;
  /** Everything it has printed so far, on both streams. */
  output(): string;
  /** Resolves with the exit code; null when it was killed. */
  ended: Promise<number | null>;
};

/** Addresses of a surrounding run must not leak in: an empty value counts as not set. */
const isolated = (variables: EnvironmentVariables): NodeJS.ProcessEnv =>
  childEnvironment({
    DATABASE_URL: '',
    TEMPORAL_ADDRESS: '',
    REDIS_URL: '',
    ENCRYPTION_KEYS: '',
    LOG_LEVEL: '',
    PROCESSES: TEST_PROCESSES,
    ...variables,
  });

/** Runs `posthorn <arguments>` to its end. */
export async function runPosthorn(parameters: string[], variables: EnvironmentVariables): Promise<CommandResult> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...command, ...parameters], {
      cwd: repository,
      env: isolated(variables),
    });
    return { exitCode: 0, output: stdout, errors: stderr };
  } catch (failure) {
    // promisify(execFile) rejects if a program exits with a code other than 0.
    const { code, stdout, stderr } = failure as { code: number; stdout: string; stderr: string };
    return { exitCode: code, output: stdout, errors: stderr };
  }
}

/** Starts `posthorn <role>` in a process group of its own, as a terminal does, and waits until it prints `ready`. */
export async function startPosthorn(
  role: string,
  variables: EnvironmentVariables,
  ready: string | RegExp,
): Promise<StartedPosthorn> {
  const child = spawn(process.execPath, [...command, role], {
    cwd: repository,
    env: isolated(variables),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      hasEnded = true;
      resolve(code);
    });
  });
  const look = (): boolean => {
    if (hasEnded) throw new Error(`posthorn ${role} ended while starting:\n${text}`);
    return text.search(ready) !== -1;
  };
  await waitFor(`posthorn ${role} to be ready`, look, READY_WITHIN_MS).catch((failure: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`posthorn ${role} did not start:\n${text}`, { cause: failure });
  });
  return { child, output: () => text, ended };
}
