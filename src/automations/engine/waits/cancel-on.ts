import { timeOfId } from '../../../kernel/values/ids.ts';
import { cancelOnOf, watchId } from '../../definitions/plan/events.ts';
import type { CancelOn } from '../../definitions/configs/planned.ts';
import { type RunContext, ExpressionFailed } from '../../expressions/expressions.ts';
import { contextAtBeginning } from '../context.ts';
import type { Watch } from '../rounds.ts';
import { RunSuperseded, StepFailed } from '../step-failure.ts';
import { cancelTaken, registerWatch, CLOCKS_DIFFER_MS, takeMessage } from './wait-store.ts';
import type { WaitDependencies } from './kind.ts';
import { keyOfRun, waitingStepOf } from './matching.ts';

/**
 * Registers the messages that cancel the run, before its first step, and checks those published since it was created.
 * Throws RunSuperseded if one of them cancels the run.
 */
export const watchForCancel =
  (deps: WaitDependencies): Watch =>
  async ({ run, ready }, input) => {
    const entries = cancelOnOf(ready.plan.trigger);
    if (entries.length === 0) return;
    const now = deps.clock();
    const context = contextAtBeginning({ run, ready, now });
    const since = new Date((timeOfId('run', run.id) ?? now).getTime() - CLOCKS_DIFFER_MS);
    for (const [index, entry] of entries.entries()) {
      const key = keyOf(deps, entry, context);
      if (key === undefined) continue;
      const { environmentId, workflowId, version } = run;
      const stepId = watchId(index);
      const watch = {
        runId: run.id,
        environmentId,
        stepId,
        waitingStep: waitingStepOf({ workflowId, version, stepId }),
        key,
        since,
      };
      if (!(await registerWatch(deps.pool, watch))) continue;
      const messageId = await deps.lookBack(run, { wanted: { channelIds: [], ...entry }, key, since });
      if (messageId !== undefined)
        await takeMessage(deps.pool, { runId: run.id, stepId, iteration: '' }, messageId, { isDue: true });
    }
    if (await cancelTaken(deps.pool, input)) throw new RunSuperseded(`${run.id} was cancelled by a message`);
  };

/** Returns undefined if the run lacks a value that the entry compares, so that no message can cancel it. */
function keyOf(
  deps: Pick<WaitDependencies, 'expressions'>,
  { match }: CancelOn,
  context: RunContext,
): string | undefined {
  try {
    return keyOfRun(deps, match, context).key;
  } catch (failure) {
    if (failure instanceof StepFailed || failure instanceof ExpressionFailed) return undefined;
    throw failure;
  }
}
