import type { Logger } from 'pino';

/** A role that runs until it is told to stop. */
export type RunningRole = {
  /** Ends what is under way, then everything else. Called once. */
  stop(): Promise<void>;
  /** Resolves with a reason when it cannot go on by itself. */
  failed: Promise<string>;
};

// SIGHUP too: a closed terminal would otherwise leave the embedded parts behind.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Nothing can fail this role from inside. */
export const never: Promise<string> = new Promise(() => undefined);

// A terminal that was closed, or a pipe whose reader has gone, must not end the process before it has drained.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Prints a line for the person in front of the terminal. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Runs a role until SIGINT, SIGTERM, SIGHUP or its own failure, then drains it. A signal that comes while it starts takes effect once it
 * has started; further ones while it drains change nothing: only SIGKILL cuts a drain. Returns the exit code.
 */
export async function runUntilStopped(log: Logger, start: () => Promise<RunningRole>): Promise<number> {
  let isStopping = false;
  const stopped = new Promise<number>((resolve) => {
    const stop = (exitCode: number): void => {
      if (isStopping) return log.warn('still draining');
      isStopping = true;
      resolve(exitCode);
    };
    for (const signal of SIGNALS) process.on(signal, () => stop(0));
    process.on('uncaughtException', (failure) => {
      // Not `fatal`: pino flushes it at once, and with nobody to read standard output its writer tries for ever.
      log.error({ err: failure }, 'a fault of the service: stopping');
      stop(1);
    });
  });
  const role = await start();
  const exitCode = await Promise.race([
    stopped,
    role.failed.then((reason) => {
      log.error(reason);
      isStopping = true;
      return 1;
    }),
  ]);
  await role.stop();
  return exitCode;
}
