import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { PlannedStep } from '../configs/planned.ts';
import { type DefinitionProblem, reachable, waysOf } from './graph.ts';

/**
 * Loops and branches by which too many steps of one run would be under way at a time. A loop of 20 in a loop of 20 kept the worker's
 * workflow thread busy for longer than Temporal waits for it, and runs beside it waited seconds (docs/decisions.md). For a sound graph.
 */
export function widthProblems(steps: readonly PlannedStep[]): DefinitionProblem[] {
  const known = new Map(steps.map((step) => [step.id, step]));
  const waysOn = new Map(steps.map((step) => [step.id, waysOf(step, '').filter(({ isInner }) => !isInner)]));
  /** The most steps under way at a time in the chain that begins there. */
  const chainWidth = (entry: string): number =>
    Math.max(...[...reachable([entry], (id) => waysOn.get(id) ?? [])].map((id) => widthOf(known.get(id))));
  const widthOf = (step: PlannedStep | undefined): number => {
    if (step?.type === 'foreach') return Math.min(step.concurrency, step.maxItems) * chainWidth(step.body);
    if (step?.type === 'parallel') return step.branches.reduce((sum, branch) => sum + chainWidth(branch), 0);
    return 1;
  };
  return steps.flatMap((step, index) => {
    const width = widthOf(step);
    if (width <= WORKFLOW_BOUNDS.atOnce) return [];
    const field = `steps[${index}].config.${step.type === 'foreach' ? 'concurrency' : 'branches'}`;
    const reason = `with the loops inside it lets ${width} steps be under way at a time; at most ${WORKFLOW_BOUNDS.atOnce} in one run`;
    return [{ field, reason }];
  });
}
