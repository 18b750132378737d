import { fieldPath } from '../../kernel/values/text.ts';
import { hasIdForm, isId } from '../../kernel/values/ids.ts';
import { planOf, type WrittenStep } from './plan/compile.ts';
import type { DefinitionProblem } from './plan/graph.ts';
import { piecesOf, secretIn, textsOf } from '../expressions/templates.ts';
import { secretTemplatesOf } from './problems/request-problems.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';

/** Returns, for those workflows that exist in the environment, the workflows that each one starts. */
type FindCalls = (ids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/**
 * Reports steps that start workflows which do not exist in the environment, or that would start the workflow `own`
 * again, directly or through others. A new workflow has no id, so no other one can start it.
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
    if (!calls.has(id)) return [{ field, reason: 'must be the id of a workflow in this environment' }];
    const path = own === undefined ? undefined : pathTo(own, id, calls);
    return path === undefined ? [] : [{ field, reason: `must not start its own workflow again: ${path.join(' -> ')}` }];
  });
}

const calledIn = (steps: unknown): { field: string; id: string }[] =>
  planOf(undefined, steps).steps.flatMap((step, index) =>
    step.type === 'workflow' ? [{ field: `steps[${index}].config.workflowId`, id: step.workflowId }] : [],
  );

/**
 * Returns the workflows that each of these starts, and those that they start, up to the depth limit for chains of runs.
 */
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

/** Returns the path from one workflow to another; undefined if there is none. */
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

/** Reports secrets that the environment does not have. `find` returns those of the names that exist. */
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

/**
 * Reports connections that the environment does not have, or that are for another connector. `find` returns connectors
 * by connection id.
 */
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
    if (of === undefined) return [{ field, reason: 'must be the id of a connection in this environment' }];
    return of === connectorId ? [] : [{ field, reason: `must be a connection for ${connectorId}, not for ${of}` }];
  });
}

/**
 * Returns the channels whose messages start runs; an empty list means all of the environment. Undefined for other
 * triggers.
 */
export function coverOf(trigger: string | undefined): { channelIds: readonly string[] } | undefined {
  const planned = trigger === undefined ? undefined : planOf(JSON.parse(trigger), []).trigger;
  if (planned?.type === 'event') return { channelIds: planned.channelIds };
  // Only the webhook knows its channel.
  return planned?.type === 'webhook' ? { channelIds: [] } : undefined;
}

/** Reports channels that the environment does not have. `find` returns those of the ids that exist. */
export async function channelProblems(
  { trigger, steps }: { trigger?: Readonly<Record<string, unknown>>; steps?: unknown },
  find: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<DefinitionProblem[]> {
  const named = [...channelsOfTrigger(trigger), ...channelsOfSteps(steps)];
  const ids = [...new Set(named.map(({ id }) => id).filter((id) => hasIdForm(id) && isId('channel', id)))];
  const found = ids.length === 0 ? new Set<string>() : await find(ids);
  return named
    .filter(({ id }) => !found.has(id))
    .map(({ field }) => ({ field, reason: 'must be the id of a channel in this environment' }));
}

type Named = { field: string; id: string };

function channelsOfTrigger(trigger: Readonly<Record<string, unknown>> | undefined): Named[] {
  // `as`: already validated (problems.ts).
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

/** Whether the author set this member in the config of a step. */
function isNamed(steps: unknown, index: number, name: string): boolean {
  // `as`: already validated (problems.ts).
  const { config = {} } = (steps as readonly WrittenStep[])[index] ?? {};
  return Reflect.get(config as object, name) !== undefined;
}

/** Reports a trigger's inbound webhook if the environment does not have it. */
export async function webhookProblems(
  { trigger }: { trigger?: Readonly<Record<string, unknown>> },
  find: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<DefinitionProblem[]> {
  const planned = trigger === undefined ? undefined : planOf(trigger, []).trigger;
  if (planned?.type !== 'webhook') return [];
  const { webhookId } = planned;
  if (isId('webhook', webhookId) && (await find([webhookId])).has(webhookId)) return [];
  return [{ field: 'trigger.config.webhookId', reason: 'must be the id of a webhook in this environment' }];
}
