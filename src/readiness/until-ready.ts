import { setTimeout as sleep } from 'node:timers/promises';
import type { NotReady } from '../shared/not-ready.ts';
import type { Look, Readiness } from './readiness.ts';

// Each look costs two queries; who has run `migrate` sees the roles go on within this.
const LOOK_EVERY_MS = 1_000;

export type Waiting = {
  /** Is told why it waits, once for each reason: a sentence for the operator. */
  tell: (sentence: string, failure: NotReady) => void;
  /** Ends the waiting: it then rejects with the signal's reason. */
  signal: AbortSignal;
};

/**
 * Returns once everything required is there. An orchestrator that starts PostgreSQL, `migrate` and the roles in any order so gets all of
 * them up without a restart. Waiting for what only another setting could mend would hide the fault: that is thrown at once, as one
 * sentence.
 */
export async function untilReady(readiness: Readiness, { tell, signal }: Waiting): Promise<void> {
  for (let told: string | undefined; ; ) {
    signal.throwIfAborted();
    const look = await readiness.look();
    if (look.isReady) return;
    refuseLasting(look);
    const [failure] = look.failures;
    if (failure !== undefined && failure.advice !== told) {
      told = failure.advice;
      tell(`${failure.advice}; waiting for it`, failure);
    }
    // An aborted sleep rejects with an error of its own; the loop throws the signal's reason.
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws, as one sentence for the operator, what only another setting or release could mend. */
export function refuseLasting({ failures }: Look): void {
  const lasting = failures.find(({ isLasting }) => isLasting);
  if (lasting !== undefined) throw new Error(lasting.advice);
}
