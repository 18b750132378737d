import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { childEnvironment, type EnvironmentVariables } from '../../src/platform/config/config.ts';
import { waitFor } from '../support/check/wait-for.ts';

export type ChildOptions = { variables?: EnvironmentVariables; logPath: string };

/** A server of the topology, which may be killed and started again on the same address and data. */
export type TopologyChild = {
  readonly name: string;
  pid(): number | undefined;
  /** Ends it by that signal and waits until it is gone. Repeating it is harmless. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again after its end, and waits until it is ready; with these variables beside its own. */
  begin(further?: EnvironmentVariables): Promise<void>;
  /** SIGSTOP and SIGCONT: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
};

/** A command and its parameters; asked at each start where it is a function, so that another release may begin in the place. */
type Command = readonly string[] | (() => readonly string[]);

/** Runs `command`, its output in a file, and waits for `isReady`. A server that ends before it is ready throws with its name. */
export async function startChild(
  name: string,
  command: Command,
  { variables = {}, logPath }: ChildOptions,
  isReady: () => Promise<boolean>,
): Promise<TopologyChild> {
  let child: ChildProcess | undefined;
  const hasEnded = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null;
  const begin = async (further: EnvironmentVariables = {}): Promise<void> => {
    const log = createWriteStream(logPath, { flags: 'a' });
    const [program = '', ...parameters] = typeof command === 'function' ? command() : command;
    child = spawn(program, parameters, {
      env: childEnvironment({ ...variables, ...further }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false });
    await waitFor(`${name} to be ready`, () => {
      if (hasEnded()) throw new Error(`${name} has ended before it was ready: see ${logPath}`);
      return isReady();
    });
  };
  await begin();
  return {
    name,
    pid: () => child?.pid,
    async end(signal) {
      if (child === undefined || hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
    begin,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}
