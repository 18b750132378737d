import { setTimeout as sleep } from 'node:timers/promises';
import type { NotReady } from '../../kernel/errors.ts';
import type { ReadinessLook, Readiness } from './readiness.ts';

// Rest between looks: each costs two queries, and after `migrate` the roles go on within this time.
const LOOK_EVERY_MS = 1_000;
// A log that has been turned over must still say why a process does not work.
const REMIND_EVERY_MS = 60_000;

export type Waiting = {
  /** Called with the reason for the wait at each look: a sentence for the operator. */
  tell: (sentence: string, failure: NotReady) => void;
  /** Ends the waiting: it then rejects with the signal's reason. */
  signal: AbortSignal;
};

/** A wait that says each reason once, and then once a minute. `now` in ms. */
export function waitingBy(
  say: Waiting['tell'],
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Waiting {
  let said: { sentence: string; at: number } | undefined;
  return {
    signal,
    tell(sentence, failure) {
      if (said?.sentence === sentence && now() - said.at < REMIND_EVERY_MS) return;
      say(said?.sentence === sentence ? `still: ${sentence}` : sentence, failure);
      said = { sentence, at: now() };
    },
  };
}

/**
 * Returns once every required part is there. An orchestrator may start PostgreSQL, `migrate` and the roles in any order, and all of
 * them come up without a restart. A fault that only another setting could mend is thrown at once, as one sentence, because waiting
 * would hide it.
 */
export async function untilReady(readiness: Readiness, { tell, signal }: Waiting): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const look = await readiness.look();
    if (look.isReady) return;
    refuseLasting(look);
    const [failure] = look.failures;
    if (failure !== undefined) tell(`${failure.advice}; waiting for it`, failure);
    // An aborted sleep rejects with an error of its own; the loop throws the signal's reason.
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws a fault that only another setting or release could mend, as one sentence for the operator. */
export function refuseLasting({ failures }: ReadinessLook): void {
  const lasting = failures.find(({ isLasting }) => isLasting);
  if (lasting !== undefined) throw new Error(lasting.advice);
}
