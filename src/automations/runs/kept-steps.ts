import { stepBehind } from '../../kernel/contract/run-workflow.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { entriesWithin, stepsFrom } from '../engine/shape.ts';
import type { RecordedStep } from './latest-definition.ts';

/** Either the ids of the steps whose results stay, or the reason, for a person, for which a run cannot begin again at a step. */
type Kept = { stepIds: readonly string[] } | { obstacle: string };

/**
 * The steps that a run has passed on its way to `stepId`, with those of their loops and branches, under the definition that it was taken
 * under. A step within a loop or a branch is no place to begin at: the chain around it would have ended already.
 */
export function keptBefore(
  definition: { trigger: unknown; steps: unknown },
  recorded: readonly RecordedStep[],
  stepId: string,
): Kept {
  const plan = planOf(definition.trigger, definition.steps);
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  if (!byId.has(stepId)) return { obstacle: `The definition of this run has no step ${stepId}` };
  const begun = new Map(recorded.filter(({ iteration }) => iteration === '').map((row) => [row.stepId, row.way]));
  const owner = plan.steps.find(
    (step) => entriesWithin(step).length > 0 && stepsFrom(plan, entriesWithin(step)).has(stepId),
  );
  if (owner !== undefined)
    return { obstacle: `${stepId} stands within ${owner.id}, which a run can begin again at only as a whole` };

  const stepIds: string[] = [];
  for (let id = plan.entry; id !== stepId; ) {
    const step = id === null ? undefined : byId.get(id);
    const way = id === null ? undefined : begun.get(id);
    const next = way === undefined || way === null ? undefined : stepBehind(way);
    if (step === undefined || next === undefined) return { obstacle: `This run has not reached ${stepId}` };
    stepIds.push(step.id, ...stepsFrom(plan, entriesWithin(step)));
    id = next;
  }
  return begun.has(stepId) ? { stepIds } : { obstacle: `This run has not reached ${stepId}` };
}
