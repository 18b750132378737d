import type { Plan, PlannedStep } from '../definitions/configs/planned.ts';

/** Steps that a step may go on to within its own chain, where it fails too. */
function behind(step: PlannedStep): string[] {
  const targets: (string | null | undefined)[] = [step.next];
  if (typeof step.onError === 'object') targets.push(...step.onError.map(({ next }) => next));
  if (step.type === 'condition') targets.push(step.whenTrue, step.whenFalse);
  if (step.type === 'switch') targets.push(step.default, ...step.cases.map(({ next }) => next));
  if (step.type === 'approval') targets.push(step.approved, step.rejected);
  if (step.type === 'wait_for_event' && typeof step.onTimeout === 'object') targets.push(step.onTimeout.next);
  return targets.filter((target) => typeof target === 'string');
}

/** Entries of the chains that a step owns and comes back from. */
export function entriesWithin(step: PlannedStep): readonly string[] {
  if (step.type === 'foreach') return [step.body];
  return step.type === 'parallel' ? step.branches : [];
}

/** The steps that chains from these entries may reach, those of loops and branches inside them included. */
export function stepsFrom(plan: Plan, entries: readonly string[]): ReadonlySet<string> {
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  const found = new Set<string>();
  const open = [...entries];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const step = byId.get(id);
    if (step === undefined || found.has(id)) continue;
    found.add(id);
    open.push(...behind(step), ...entriesWithin(step));
  }
  return found;
}

/** The steps that stand in a loop or a branch: the end of their chain is not that of the run. */
export const innerSteps = (plan: Plan): ReadonlySet<string> => stepsFrom(plan, plan.steps.flatMap(entriesWithin));

/** The loops around each step that is in one, outermost first. */
export function loopsAround(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const loops = plan.steps.flatMap((step) =>
    step.type === 'foreach' ? [{ id: step.id, steps: stepsFrom(plan, [step.body]) }] : [],
  );
  const around = plan.steps.map(({ id }) => {
    const outer = loops.filter(({ steps }) => steps.has(id));
    // An outer loop holds more steps than a loop inside it.
    return [id, outer.toSorted((one, other) => other.steps.size - one.steps.size).map((loop) => loop.id)] as const;
  });
  return new Map(around.filter(([, outer]) => outer.length > 0));
}
