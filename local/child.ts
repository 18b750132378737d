import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, identifyProcess, readIdentity, writeIdentity } from './process-identity.ts';

/** The user to run as; only a root process can choose one. */
export type RunAs = { readonly uid: number; readonly gid: number };

export type ChildOptions = {
  /** For messages: "PostgreSQL", "Temporal". */
  name: string;
  command: string;
  args: string[];
  /** File for standard output and error; a large one is truncated at the start. */
  logPath: string;
  /** File by which the next start finds this child if this process is killed. */
  identityPath: string;
  /** Signal for an orderly stop, and the time it may take before the child is killed. */
  stopSignal: NodeJS.Signals;
  stopPatienceMs: number;
  /** All of its environment variables. */
  environment: NodeJS.ProcessEnv;
  runAs?: RunAs;
};

/** A running child process of ours. */
export type RunningChild = {
  readonly pid: number;
  /** Resolves with a description when the child ends, for any reason. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** Stops it in an orderly way; returns when it is gone. Safe to repeat. */
  stop(): Promise<void>;
};

// A log of 10 MB is weeks of warnings; nobody needs older lines.
const MAX_LOG_BYTES = 10_000_000;
const LAST_LINES = 12;

/**
 * Starts a child in its own process group: a terminal's Ctrl-C goes to the foreground group, and would otherwise stop PostgreSQL in the
 * middle of the drain. The child outlives a killed parent; endOrphan finds it then.
 */
export async function startChild(options: ChildOptions): Promise<RunningChild> {
  cutLog(options.logPath);
  const output = openSync(options.logPath, 'a', 0o600);
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', output, output],
    env: options.environment,
    cwd: '/',
    ...options.runAs,
  });
  closeSync(output);
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (failure) => resolve(`${options.name} could not be started: ${failure.message}`));
    child.once('exit', (code, signal) => resolve(`${options.name} ended (${signal ?? `exit code ${code}`})`));
  });
  void ended.then(() => {
    hasEnded = true;
  });
  if (child.pid === undefined) throw new Error(await ended);
  const { pid } = child;
  const identity = identifyProcess(pid);
  if (identity !== undefined) writeIdentity(options.identityPath, identity);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (!hasEnded) {
      child.kill(options.stopSignal);
      const patience = sleep(options.stopPatienceMs, 'late', { ref: false });
      if ((await Promise.race([ended, patience])) === 'late') child.kill('SIGKILL');
      await ended;
    }
    rmSync(options.identityPath, { force: true });
  };
  return { pid, ended, hasEnded: () => hasEnded, stop: () => (stopping ??= stop()) };
}

/** Ends the child that a killed parent left running. Returns whether there was one. */
export async function endOrphan({
  identityPath,
  stopSignal,
  stopPatienceMs,
}: Pick<ChildOptions, 'identityPath' | 'stopSignal' | 'stopPatienceMs'>): Promise<boolean> {
  const identity = readIdentity(identityPath);
  const isOrphan = identity !== undefined && identifyProcess(identity.pid)?.bornAt === identity.bornAt;
  if (isOrphan) await endProcess(identity, stopSignal, stopPatienceMs);
  rmSync(identityPath, { force: true });
  return isOrphan;
}

/**
 * Waits until `isHealthy` returns true. Throws with the last lines of the child's log if the child ends first, or if it takes longer
 * than `patienceMs`; the child is then stopped.
 */
export async function waitUntilHealthy(
  child: RunningChild,
  options: Pick<ChildOptions, 'name' | 'logPath'>,
  patienceMs: number,
  isHealthy: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await isHealthy())) {
    const tail = (): string => `\n${readLastLines(options.logPath)}`;
    if (child.hasEnded())
      throw new Error(`${await child.ended} while starting. Its last lines (${options.logPath}):${tail()}`);
    if (Date.now() > deadline) {
      await child.stop();
      throw new Error(
        `${options.name} was not ready after ${patienceMs / 1000} s. Its last lines (${options.logPath}):${tail()}`,
      );
    }
    await sleep(50);
  }
}

/** The last lines of a child's log, for messages. */
function readLastLines(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  } catch {
    return '';
  }
}

function cutLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) rmSync(path);
}

type KeptChild<T extends RunningChild> = {
  /** The first child; a restarted one has the same addresses. */
  readonly first: T;
  stop(): Promise<void>;
};

type KeepRunningOptions<T extends RunningChild> = {
  /** Starts a child, at the addresses of `previous` if there is one, or throws. */
  start: (previous: T | undefined) => Promise<T>;
  onProgress: (line: string) => void;
  /** Called once if the child cannot be kept running. */
  onGivenUp: (reason: string) => void;
};

// Five crashes within a minute are not a coincidence, and a sixth start would not change that.
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;
const RESTART_PAUSE_MS = 500;

/** Starts a child, and restarts it whenever it ends unexpectedly. */
export async function keepRunning<T extends RunningChild>({
  start,
  onProgress,
  onGivenUp,
}: KeepRunningOptions<T>): Promise<KeptChild<T>> {
  const first = await start(undefined);
  let current = first;
  let isStopping = false;
  let restarts: number[] = [];
  const watch = async (): Promise<void> => {
    while (!isStopping) {
      const reason = await current.ended;
      // The flag becomes true while that line waits.
      if (isStopping) return;
      restarts = [...restarts.filter((at) => at > Date.now() - RESTART_WINDOW_MS), Date.now()];
      if (restarts.length > MAX_RESTARTS)
        throw new Error(`${reason}, for the ${restarts.length}th time within a minute`);
      onProgress(`${reason}; restarting it`);
      await sleep(RESTART_PAUSE_MS);
      if (!isStopping) current = await start(first);
    }
  };
  const watching = watch().catch((failure: unknown) => {
    if (!isStopping) onGivenUp(failure instanceof Error ? failure.message : String(failure));
  });
  return {
    first,
    async stop() {
      isStopping = true;
      await current.stop();
      // A restart in progress may have created another child meanwhile.
      await watching;
      await current.stop();
    },
  };
}
