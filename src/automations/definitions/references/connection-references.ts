import { isId } from '../../../kernel/values/ids.ts';
import { planOf } from '../plan/compile.ts';
import type { DefinitionProblem } from '../plan/graph.ts';

/** Connections that steps name and that the environment has not, or has for other connectors. `find` gives connectors by connections. */
export async function connectionProblems(
  { steps }: { steps?: unknown },
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<DefinitionProblem[]> {
  const named = planOf(undefined, steps).steps.flatMap((step, index) =>
    step.type === 'action' && step.action === 'connector' && step.connectionId !== undefined
      ? [{ field: `steps[${index}].config.connectionId`, id: step.connectionId, connectorId: step.connectorId }]
      : [],
  );
  const ids = [...new Set(named.map(({ id }) => id).filter((id) => isId('connection', id)))];
  const found = ids.length === 0 ? new Map<string, string>() : await find(ids);
  return named.flatMap(({ field, id, connectorId }) => {
    const of = found.get(id);
    if (of === undefined) return [{ field, reason: 'no such connection in this environment' }];
    return of === connectorId ? [] : [{ field, reason: `is a connection of ${of}, not of ${connectorId}` }];
  });
}
