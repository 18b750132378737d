import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a helper process can be asked for. */
export type Commands = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** A process of its own that answers questions: the load generator, the receiver and each ceiling. */
export type Helper<C extends Commands> = {
  readonly pid: number;
  ask<Name extends keyof C & string>(name: Name, ...input: Parameters<C[Name]>): Promise<Awaited<ReturnType<C[Name]>>>;
  stop(): Promise<void>;
};

type Question = { id: number; name: string; input: unknown };
type Answer = { id: number; output?: unknown; failure?: string };

/** Starts `bench/<name>.ts`, which calls `answer`. Typed arrays and maps cross the border as they are. */
export async function startHelper<C extends Commands>(name: string): Promise<Helper<C>> {
  const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
    // A terminal's Ctrl-C is for the benchmark, which stops its helpers itself.
    detached: true,
  });
  const waiting = new Map<number, { resolve: (output: unknown) => void; reject: (failure: Error) => void }>();
  let last = 0;
  child.on('message', (message) => {
    // Only `answer` below writes to this channel.
    const { id, output, failure } = message as Answer;
    const asker = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) asker?.resolve(output);
    else asker?.reject(new Error(`${name}: ${failure}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended (${signal ?? `exit code ${code}`})`));
  });
  const send = (question: string, input: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.send({ id: last, name: question, input } satisfies Question);
    });
  await send('ready', undefined);
  return {
    pid: child.pid ?? 0,
    // The type of the answer is the command's own: C is the type of what the other side serves.
    ask: (question, ...input) => send(question, input[0]) as never,
    stop: () => end(child),
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
