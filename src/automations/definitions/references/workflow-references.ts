import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { planOf } from '../plan/compile.ts';
import type { DefinitionProblem } from '../plan/graph.ts';

/** The workflows that each of these begins which the environment has. */
export type FindCalls = (ids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/**
 * Steps that begin runs of workflows which the environment has not, or of the workflow `own` itself: at once, or by the present steps of
 * others. A new workflow has no id by which another one could begin it.
 */
export async function workflowProblems(
  { steps }: { steps?: unknown },
  find: FindCalls,
  own: string | undefined,
): Promise<DefinitionProblem[]> {
  const named = calledIn(steps);
  const calls = await callsFrom(
    named.map(({ id }) => id),
    find,
  );
  return named.flatMap(({ field, id }) => {
    if (!calls.has(id)) return [{ field, reason: 'no such workflow in this environment' }];
    const path = own === undefined ? undefined : pathTo(own, id, calls);
    return path === undefined ? [] : [{ field, reason: `the workflow would begin itself: ${path.join(' -> ')}` }];
  });
}

const calledIn = (steps: unknown): { field: string; id: string }[] =>
  planOf(undefined, steps).steps.flatMap((step, index) =>
    step.type === 'workflow' ? [{ field: `steps[${index}].config.workflowId`, id: step.workflowId }] : [],
  );

/** The workflows that each of these begins, and those that they begin, as far as a chain of runs may go. */
async function callsFrom(ids: readonly string[], find: FindCalls): Promise<ReadonlyMap<string, readonly string[]>> {
  const calls = new Map<string, readonly string[]>();
  let open = new Set(ids);
  for (let depth = 0; depth < WORKFLOW_BOUNDS.chainDepth && open.size > 0; depth += 1) {
    const found = await find([...open].filter((id) => isId('workflow', id)));
    for (const [id, called] of found) calls.set(id, called);
    open = new Set([...found.keys()].flatMap((id) => calls.get(id) ?? []).filter((id) => !calls.has(id)));
  }
  return calls;
}

/** The workflows from one to another; undefined where no way leads there. */
function pathTo(goal: string, from: string, calls: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  for (const id of before.keys()) {
    if (id === goal) {
      const path: string[] = [];
      for (let at: string | undefined = id; at !== undefined; at = before.get(at)) path.unshift(at);
      return path;
    }
    for (const next of calls.get(id) ?? []) if (!before.has(next)) before.set(next, id);
  }
  return undefined;
}
