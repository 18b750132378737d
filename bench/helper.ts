import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The questions that a helper process answers. */
export type Commands = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** A process of its own that answers questions: the load generator, the receiver and each ceiling. */
export type Helper<C extends Commands> = {
  readonly pid: number;
  ask<Name extends keyof C & string>(name: Name, ...input: Parameters<C[Name]>): Promise<Awaited<ReturnType<C[Name]>>>;
  stop(): Promise<void>;
};

type Question = { id: number; name: string; input: unknown };
type Answer = { id: number; output?: unknown; failure?: string };

/** Starts `bench/<name>.ts`, which calls `answer`. Typed arrays and maps cross the border unchanged. */
export async function startHelper<C extends Commands>(name: string): Promise<Helper<C>> {
  const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), {
    serialization: 'advanced',
    // A terminal's Ctrl-C is for the benchmark, which stops its helpers itself.
    detached: true,
  });
  const { helper, send, take } = openChannel<C>(name, child, (question) => child.send(question));
  // Only `answer` below writes to this channel.
  child.on('message', (message) => take(message as Answer));
  await send('ready', undefined);
  return helper;
}

/** Starts a program in another language that answers in the same way, a line of JSON for each question and each answer. */
export async function startProgram<C extends Commands>(path: string): Promise<Helper<C>> {
  const child = spawn(path, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  // `exit` reports its end, so a failed write needs no second report.
  child.stdin.on('error', () => undefined);
  const { helper, send, take } = openChannel<C>(path, child, (question) =>
    child.stdin.write(`${JSON.stringify(question)}\n`),
  );
  // Only the program's answers come here.
  createInterface(child.stdout).on('line', (line) => take(JSON.parse(line, toTypedArray) as Answer));
  await send('ready', undefined);
  return helper;
}

/** JSON has no typed arrays: lists of numbers in an answer's members become some. An answer that is a list stays one. */
const toTypedArray = (name: string, value: unknown): unknown =>
  name !== 'output' && Array.isArray(value) && typeof value[0] === 'number' ? Float64Array.from(value) : value;

/** The asking side over any channel: `write` sends a question, `take` gets the messages that come back. */
function openChannel<C extends Commands>(
  name: string,
  child: ChildProcess,
  write: (question: Question) => void,
): { helper: Helper<C>; send: (question: string, input: unknown) => Promise<unknown>; take: (answer: Answer) => void } {
  const waiting = new Map<number, { resolve: (output: unknown) => void; reject: (failure: Error) => void }>();
  let last = 0;
  const rejectAll = (why: string): void => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ${why}`));
  };
  child.once('exit', (code, signal) => rejectAll(`ended (${signal ?? `exit code ${code}`})`));
  child.once('error', (failure) => rejectAll(`did not start: ${failure.message}`));
  const send = (question: string, input: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      write({ id: last, name: question, input });
    });
  return {
    helper: {
      pid: child.pid ?? 0,
      // The type of the answer is the command's own: C is the type of what the other side serves.
      ask: (question, ...input) => send(question, input[0]) as never,
      stop: () => end(child),
    },
    send,
    take({ id, output, failure }) {
      const asker = waiting.get(id);
      waiting.delete(id);
      if (failure === undefined) asker?.resolve(output);
      else asker?.reject(new Error(`${name}: ${failure}`));
    },
  };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/** The helper's side: answers each question with the command of its name, several at a time. */
export function answer(commands: Commands): void {
  const all: Commands = { ...commands, ready: () => Promise.resolve(true) };
  process.on('message', (message) => {
    // Only `startHelper` above writes to this channel.
    const { id, name, input } = message as Question;
    const command = all[name];
    const reply = (outcome: Answer): void => {
      process.send?.(outcome);
    };
    if (command === undefined) return reply({ id, failure: `has no command ${name}` });
    command(input as never).then(
      (output) => reply({ id, output }),
      (failure: unknown) => reply({ id, failure: failure instanceof Error ? String(failure.stack) : String(failure) }),
    );
  });
  // The benchmark is gone: so are we.
  process.on('disconnect', () => process.exit(0));
}
