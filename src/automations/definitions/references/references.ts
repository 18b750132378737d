import { fieldPath } from '../../../kernel/values/text.ts';
import { hasIdForm, isId } from '../../../kernel/values/ids.ts';
import { planOf } from '../plan/compile.ts';
import type { DefinitionProblem } from '../plan/graph.ts';
import type { WrittenStep } from '../plan/planned-step.ts';

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
