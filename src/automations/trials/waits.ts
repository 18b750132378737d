import type { PlannedStep } from '../definitions/configs/planned.ts';
import type { ActionKind } from '../engine/attempt-step.ts';
import { approval, resultOf, wayOfDecision } from '../engine/waits/approval.ts';
import { childRun } from '../engine/waits/child-run.ts';
import { timedOut, waitForEvent, wayOfTimeout } from '../engine/waits/wait-for-event.ts';
import type { StepExpressions } from '../expressions/expressions.ts';

const NO_RUN = 'run_00000000000000000000000000';
const NOBODY = { status: 'expired', by: null, at: null, comment: null, data: null } as const;

const member = (output: unknown, name: string): unknown =>
  typeof output === 'object' && output !== null ? Reflect.get(output, name) : undefined;

/**
 * Steps that wait, in a trial: what they would wait for, and the end of their time, which comes at once where no mock ends them. A step
 * that would begin a run begins none. Undefined
 * for a step that does not wait.
 */
export function createTriedWaits(deps: {
  expressions: Pick<StepExpressions, 'evaluate' | 'resolve'>;
}): (step: PlannedStep) => ActionKind | undefined {
  return (step) => {
    if (step.type === 'wait_for_event')
      return {
        prepare: (loaded) => waitForEvent.evaluate(deps, loaded).record,
        perform: async () => timedOut(step),
        wayOf: (output) => (member(output, 'matched') === true ? undefined : wayOfTimeout(step)),
      };
    if (step.type === 'approval')
      return {
        prepare: (loaded) => approval.evaluate(deps, loaded).record,
        perform: async () => resultOf(step, NOBODY).output,
        wayOf(output) {
          const by = member(output, 'by');
          return wayOfDecision(step, member(output, 'decision'), typeof by === 'string' ? by : 'its mock');
        },
      };
    if (step.type === 'workflow')
      return {
        prepare: (loaded) => childRun.evaluate(deps, loaded).record,
        perform: async () => ({ runId: NO_RUN, ...(step.isAwaited && { output: null }) }),
      };
    return undefined;
  };
}
