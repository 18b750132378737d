import { fieldPath } from '../../kernel/values/text.ts';
import { hasIdForm, isId } from '../../kernel/values/ids.ts';
import { planOf, type WrittenStep } from './plan/compile.ts';
import type { DefinitionProblem } from './plan/graph.ts';
import { piecesOf, secretIn, textsOf } from '../expressions/templates.ts';
import { secretTemplatesOf } from './problems/request-problems.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';

/** The workflows that each of these begins which the environment has. */
type FindCalls = (ids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

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

/** Secrets that a definition names and that the environment has not. `find` gives those of the names that it has. */
export async function secretProblems(
  { steps }: { steps?: unknown },
  find: (names: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<DefinitionProblem[]> {
  const named = planOf(undefined, steps).steps.flatMap((step, index) =>
    secretTemplatesOf(step).flatMap(({ field, template }) =>
      [...textsOf(template, `steps[${index}].config.${field}`)].flatMap(({ path, text }) =>
        piecesOf(text).flatMap((piece) => {
          const name = 'text' in piece ? undefined : secretIn(piece.expression);
          return name === undefined ? [] : [{ field: path, name }];
        }),
      ),
    ),
  );
  if (named.length === 0) return [];
  const found = await find([...new Set(named.map(({ name }) => name))]);
  return named
    .filter(({ name }) => !found.has(name))
    .map(({ field, name }) => ({ field, reason: `references unknown secret ${JSON.stringify(name)}` }));
}

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

/** The channels whose messages begin runs; an empty list stands for all of the environment. Undefined for other triggers. */
export function coverOf(trigger: string | undefined): { channelIds: readonly string[] } | undefined {
  const planned = trigger === undefined ? undefined : planOf(JSON.parse(trigger), []).trigger;
  if (planned?.type === 'event') return { channelIds: planned.channelIds };
  // Its channel is known to the webhook alone.
  return planned?.type === 'webhook' ? { channelIds: [] } : undefined;
}

/** Channels that a definition names and that the environment has not. `find` gives those of the ids that it has. */
export async function channelProblems(
  { trigger, steps }: { trigger?: Readonly<Record<string, unknown>>; steps?: unknown },
  find: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<DefinitionProblem[]> {
  const named = [...channelsOfTrigger(trigger), ...channelsOfSteps(steps)];
  const ids = [...new Set(named.map(({ id }) => id).filter((id) => hasIdForm(id) && isId('channel', id)))];
  const found = ids.length === 0 ? new Set<string>() : await find(ids);
  return named
    .filter(({ id }) => !found.has(id))
    .map(({ field }) => ({ field, reason: 'no such channel in this environment' }));
}

type Named = { field: string; id: string };

function channelsOfTrigger(trigger: Readonly<Record<string, unknown>> | undefined): Named[] {
  // `as`: it has its form by now (problems.ts).
  const { channelId, channelIds = [] } = (trigger?.['config'] ?? {}) as { channelId?: string; channelIds?: string[] };
  return [
    ...(channelId === undefined ? [] : [{ field: 'trigger.config.channelId', id: channelId }]),
    ...channelIds.map((id, index) => ({ field: fieldPath(['trigger', 'config', 'channelIds', index]), id })),
  ];
}

function channelsOfSteps(steps: unknown): Named[] {
  return planOf(undefined, steps).steps.flatMap((step, index) => {
    const at = `steps[${index}].config`;
    if (step.type === 'action' && step.action === 'publish') return [{ field: `${at}.channelId`, id: step.channelId }];
    if (step.type !== 'wait_for_event') return [];
    const isOne = isNamed(steps, index, 'channelId');
    return step.channelIds.map((id, place) => ({
      field: isOne ? `${at}.channelId` : `${at}.channelIds[${place}]`,
      id,
    }));
  });
}

/** Whether a step's author has written this member of its config. */
function isNamed(steps: unknown, index: number, name: string): boolean {
  // `as`: it has its form by now (problems.ts).
  const { config = {} } = (steps as readonly WrittenStep[])[index] ?? {};
  return Reflect.get(config as object, name) !== undefined;
}

/** The inbound webhook that a trigger names and that the environment has not. */
export async function webhookProblems(
  { trigger }: { trigger?: Readonly<Record<string, unknown>> },
  find: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<DefinitionProblem[]> {
  const planned = trigger === undefined ? undefined : planOf(trigger, []).trigger;
  if (planned?.type !== 'webhook') return [];
  const { webhookId } = planned;
  if (isId('webhook', webhookId) && (await find([webhookId])).has(webhookId)) return [];
  return [{ field: 'trigger.config.webhookId', reason: 'no such webhook in this environment' }];
}
