import { stepBehind, type Way } from '../../kernel/contract/run-workflow.ts';
import { planOf } from '../definitions/plan/compile.ts';

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
