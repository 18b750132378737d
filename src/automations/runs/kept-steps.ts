import { stepBehind, type Way } from '../../kernel/contract/run-workflow.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { entriesWithin, stepsFrom } from '../engine/plans.ts';

/** A step of a run as recorded. `iteration` is empty outside loops; `way` is null until it has ended. */
export type RecordedStep = { stepId: string; iteration: string; type: string; status: string; way: Way | null };

/**
 * Returns why a run cannot continue under another definition; undefined if it can. The definition must have all steps
 * that are executed again, with the same types, and all steps that recorded transitions lead to.
 */
export function obstacleIn(
  definition: { trigger: unknown; steps: unknown },
  recorded: readonly RecordedStep[],
): string | undefined {
  const types = new Map(planOf(definition.trigger, definition.steps).steps.map(({ id, type }) => [id, type]));
  const steps = recorded.filter(({ type }) => type !== 'item');
  for (const { stepId, type } of steps.filter(isTakenAgain)) {
    if (!types.has(stepId)) return `does not have the step ${stepId}, at which this run would continue`;
    if (types.get(stepId) !== type)
      return `changes the type of ${stepId}, at which this run would continue, to ${types.get(stepId)}`;
  }
  for (const { stepId, way } of steps.filter((step) => !isTakenAgain(step))) {
    const next = way === null ? undefined : stepBehind(way);
    if (typeof next === 'string' && !types.has(next))
      return `does not have the step ${next}, which follows ${stepId} in this run`;
  }
  return undefined;
}

/** Must match the retry statement (src/delivery/record/statements/run-again.ts). */
const isTakenAgain = ({ status, way }: Pick<RecordedStep, 'status' | 'way'>): boolean =>
  (status === 'cancelled' && way === null) || way === 'failure' || way === 'pause' || way?.startsWith('end:') === true;

/** The ids of the steps whose results stay, or the reason why a run cannot start again at a step. */
type Kept = { stepIds: readonly string[] } | { obstacle: string };

/**
 * Returns the steps that a run has passed on its way to `stepId` under its own definition, including those of their
 * loops and branches. A run cannot start again at a step inside a loop or branch, because the chain around it would
 * already have ended.
 */
export function keptBefore(
  definition: { trigger: unknown; steps: unknown },
  recorded: readonly RecordedStep[],
  stepId: string,
): Kept {
  const plan = planOf(definition.trigger, definition.steps);
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  if (!byId.has(stepId)) return { obstacle: `The definition of this run does not have the step ${stepId}` };
  const begun = new Map(recorded.filter(({ iteration }) => iteration === '').map((row) => [row.stepId, row.way]));
  const owner = plan.steps.find(
    (step) => entriesWithin(step).length > 0 && stepsFrom(plan, entriesWithin(step)).has(stepId),
  );
  if (owner !== undefined) return { obstacle: `${stepId} is inside ${owner.id}; start again at ${owner.id} instead` };

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
