import { parentPort } from 'node:worker_threads';
import type { Ready } from '../threads/threads.ts';
import {
  createFilterCompiler,
  failed,
  type FilterInput,
  KEPT_CHARACTERS,
  readMessage,
  type Verdict,
} from './filter.ts';

/**
 * The filters of one message. `current` (one number) is set to the position of the one that is being evaluated, which is all
 * that is left when the thread is ended; after `sliceMs` the thread answers with what it has.
 */
export type Job = {
  message: Omit<FilterInput, 'key'>;
  expressions: readonly string[];
  current: Int32Array;
  sliceMs: number;
};

/** The verdicts on the first expressions, at least on one, and how long the thread has worked for them. */
export type Answer = { kind: 'evaluated'; verdicts: readonly Verdict[]; spentMs: number };

// The rest of the thread's memory is for what the expressions make.
const KEPT_IN_THREAD = KEPT_CHARACTERS / 4;

const compile = createFilterCompiler(KEPT_IN_THREAD);

function answer({ message, expressions, current, sliceMs }: Job): Answer {
  const values = readMessage(message);
  const [startedAt, usage] = [performance.now(), process.cpuUsage()];
  const endsAt = startedAt + sliceMs;
  const verdicts: Verdict[] = [];
  for (const [position, expression] of expressions.entries()) {
    if (position > 0 && performance.now() >= endsAt) break;
    Atomics.store(current, 0, position);
    const compiled = compile(expression);
    verdicts.push('problem' in compiled ? failed(compiled.problem) : compiled.verdictOn(values));
  }
  const { user, system } = process.cpuUsage(usage);
  // No longer than the whole process: what others take the processors away for is nobody's fault here.
  const spentMs = Math.min(performance.now() - startedAt, (user + system) / 1_000);
  return { kind: 'evaluated', verdicts, spentMs };
}

// The first evaluation compiles the library's own code: it is not to be anybody's.
const warmUp = 'payload.items.exists(item, item.name.matches("^a+$") && item.price * item.count > 1.0)';
answer({
  message: { eventType: 'a', payload: '{"items":[{"name":"a","price":1,"count":2}]}', metadata: undefined },
  expressions: [warmUp],
  current: new Int32Array(1),
  sliceMs: 0,
});

parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)));
parentPort?.postMessage({ kind: 'ready' } satisfies Ready);
