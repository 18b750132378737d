import { type Way, wayTo } from '../../../kernel/contract/run-workflow.ts';
import { timeOfId } from '../../../kernel/values/ids.ts';
import { showDuration } from '../../definitions/configs/fields.ts';
import type { PlannedStep } from '../../definitions/configs/planned.ts';
import { StepFailed } from '../step-failure.ts';
import type { Result } from '../take-step.ts';
import { eventOf, readArrived, keyOfRun, waitingStepOf } from './matching.ts';
import type { WaitDependencies, WaitKind } from './kind.ts';
import { CLOCKS_DIFFER_MS, closeWait, readWait, registerWait, takeMessage } from './wait-store.ts';

type WaitForEvent = PlannedStep & { type: 'wait_for_event' };

const asWait = (step: PlannedStep): WaitForEvent => {
  if (step.type !== 'wait_for_event') throw new Error(`${step.id} is not a wait_for_event step`);
  return step;
};

// Maximum characters of event types in a Temporal timer's summary.
const SHOWN_TYPES = 100;

/**
 * Waits for a message. First registers the wait, then searches the messages since the run started. A message that
 * arrives in between is found by this search, by the worker that processes its entry in `awaited_messages`, or by both,
 * and ends the wait once.
 */
export const waitForEvent: WaitKind = {
  evaluate(deps, { step, context }) {
    const { channelIds, eventTypes, match, waitMs } = asWait(step);
    const { values } = keyOfRun(deps, match, context);
    const summary = [...eventTypes, ...(eventTypes.length === 0 ? channelIds : [])].join(', ').slice(0, SHOWN_TYPES);
    return { record: { eventTypes, channelIds, values }, waitMs, summary };
  },

  async open(deps, { step, run, context }, input, { since: now }) {
    const { match, lookbackMs } = asWait(step);
    const { key } = keyOfRun(deps, match, context);
    const began = timeOfId('run', run.id) ?? now;
    const since = new Date(lookbackMs === undefined ? began.getTime() - CLOCKS_DIFFER_MS : now.getTime() - lookbackMs);
    const { workflowId, version, environmentId } = run;
    const waitingStep = waitingStepOf({ workflowId, version, stepId: step.id });
    await registerWait(deps.pool, { ...input, environmentId }, { waitingStep, key, since });
  },

  async look(deps, { step, run, context }, input) {
    const wait = await readWait(deps.pool, input);
    if (wait === undefined || wait.messageId !== null || wait.since === null) return;
    const wanted = asWait(step);
    const { key } = keyOfRun(deps, wanted.match, context);
    const messageId = await deps.lookBack(run, { wanted, key, since: wait.since });
    if (messageId !== undefined) await takeMessage(deps.pool, input, messageId);
  },

  close: ({ pool }, input) => closeWait(pool, input),

  async ended(deps, { step }, input) {
    const wait = await readWait(deps.pool, input);
    if (wait !== undefined) return wait.messageId === null ? undefined : withMessage(deps, wait.messageId);
    const way = wayOfTimeout(step);
    return () => ({ output: timedOut(step), ...(way && { way }) });
  },
};

async function withMessage({ pool }: WaitDependencies, messageId: string): Promise<() => Result> {
  const [message] = await readArrived(pool, [messageId]);
  // Retention or erasure may have removed it since.
  const event = message === undefined ? { id: messageId } : eventOf(message);
  return () => ({ output: { matched: true, event } });
}

/** Returns the output of a wait that timed out. Throws StepFailed if the definition says so. */
export function timedOut(step: PlannedStep): { matched: false; event: null } {
  const { onTimeout, waitMs } = asWait(step);
  if (onTimeout === 'fail')
    throw new StepFailed('WAIT_TIMEOUT', `no matching message arrived within ${showDuration(waitMs)}`);
  return { matched: false, event: null };
}

/** Returns the transition of a wait that timed out, if it is not the next step. */
export function wayOfTimeout(step: PlannedStep): Way | undefined {
  const { onTimeout } = asWait(step);
  return typeof onTimeout === 'string' ? undefined : wayTo(onTimeout.next);
}
