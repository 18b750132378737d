import { lowestIdAt, timeOfId } from '../../../kernel/ids.ts';
import { cancelOnOf, watchId } from '../../definitions/cancel-watches.ts';
import type { CancelOn } from '../../definitions/configs/plan.ts';
import type { RunContext } from '../../expressions/context.ts';
import { ExpressionFailed } from '../../expressions/expressions.ts';
import { contextAtBeginning } from '../context.ts';
import type { CarriedRun } from '../load-store.ts';
import type { Watch } from '../rounds.ts';
import { RunSuperseded, StepFailed } from '../step-failure.ts';
import { readArrived } from './arrived.ts';
import { cancelTaken, registerWatch } from './cancel-store.ts';
import type { WaitDependencies } from './kind.ts';
import { keyOfMessage, keyOfRun, type Matching, placeOf } from './matching.ts';
import { CLOCKS_DIFFER_MS, findCandidates, READ_AT_ONCE, takeMessage } from './wait-store.ts';

/**
 * Has the messages known that cancel the run, before its first step, and looks for those that came since it was made. Throws RunSuperseded
 * for a run that is cancelled by one of them.
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
        place: placeOf({ workflowId, version, stepId }),
        key,
        since,
      };
      if (!(await registerWatch(deps.pool, watch))) continue;
      const messageId = await find(deps, { run, entry, key, since });
      if (messageId !== undefined)
        await takeMessage(deps.pool, { runId: run.id, stepId, iteration: '' }, messageId, { isDue: true });
    }
    if (await cancelTaken(deps.pool, input)) throw new RunSuperseded(`${run.id} was cancelled by a message`);
  };

/** Undefined where the run has nothing of what the entry compares: no message cancels it. */
function keyOf(deps: Pick<Matching, 'expressions'>, { match }: CancelOn, context: RunContext): string | undefined {
  try {
    return keyOfRun(deps, match, context).key;
  } catch (failure) {
    if (failure instanceof StepFailed || failure instanceof ExpressionFailed) return undefined;
    throw failure;
  }
}

async function find(
  deps: WaitDependencies,
  { run, entry, key, since }: { run: CarriedRun; entry: CancelOn; key: string; since: Date },
): Promise<string | undefined> {
  const wanted = { channelIds: [], ...entry };
  const ids = await findCandidates(deps.pool, {
    environmentId: run.environmentId,
    runId: run.id,
    channelIds: [],
    eventTypes: entry.eventTypes,
    sinceId: lowestIdAt('message', since),
  });
  for (let at = 0; at < ids.length; at += READ_AT_ONCE)
    for (const message of await readArrived(deps.pool, ids.slice(at, at + READ_AT_ONCE)))
      if ((await keyOfMessage(deps, wanted, message)) === key) return message.id;
  return undefined;
}
