import { stepBehind, type Way } from '../../kernel/contract/run-workflow.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { entriesWithin, stepsFrom } from '../engine/plans.ts';

/** A step of a run as it is recorded; `iteration` is empty outside loops, `way` null until it has ended. */
export type RecordedStep = { stepId: string; iteration: string; type: string; status: string; way: Way | null };

/**
 * The reason for which a run cannot go on under another definition, for a person; undefined where it can. Steps that are taken again
 * stand in it under their ids, with their types, and so does each step that a kept way leads to.
 */
export function obstacleIn(
  definition: { trigger: unknown; steps: unknown },
  recorded: readonly RecordedStep[],
): string | undefined {
  const types = new Map(planOf(definition.trigger, definition.steps).steps.map(({ id, type }) => [id, type]));
  const steps = recorded.filter(({ type }) => type !== 'item');
  for (const { stepId, type } of steps.filter(isTakenAgain)) {
    if (!types.has(stepId)) return `has no step ${stepId}, at which this run is to go on`;
    if (types.get(stepId) !== type) return `makes ${stepId}, at which this run is to go on, a ${types.get(stepId)}`;
  }
  for (const { stepId, way } of steps.filter((step) => !isTakenAgain(step))) {
    const next = way === null ? undefined : stepBehind(way);
    if (typeof next === 'string' && !types.has(next))
      return `has no step ${next}, to which the run has gone on from ${stepId}`;
  }
  return undefined;
}

/** As the statement of a retry decides (src/delivery/record/statements/run-again.ts). */
const isTakenAgain = ({ status, way }: Pick<RecordedStep, 'status' | 'way'>): boolean =>
  (status === 'cancelled' && way === null) || way === 'failure' || way === 'pause' || way?.startsWith('end:') === true;

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
