import type { ActionKind } from '../engine/attempt-step.ts';
import { timedOut, waitForEvent, wayOfTimeout } from '../engine/waits/wait-for-event.ts';
import type { StepExpressions } from '../expressions/expressions.ts';

/** Waits in a trial: the values that they would wait for, and the end of their time, which comes at once where no mock ends them. */
export const createTriedWaits = (deps: { expressions: Pick<StepExpressions, 'evaluate' | 'resolve'> }): ActionKind => ({
  prepare: (loaded) => waitForEvent.open(deps, loaded, new Date()).record,
  perform: async (_prepared, { step }) => timedOut(step),
  wayOf: (output, { step }) =>
    typeof output === 'object' && output !== null && Reflect.get(output, 'matched') === true
      ? undefined
      : wayOfTimeout(step),
});
