import { type EventTrigger, eventTriggerOf } from '../../automations/definitions/plan/event-trigger.ts';
import { WORKFLOW_BOUNDS } from '../../contract/run-outline.ts';
import type { Filters } from '../../filters/filters.ts';
import { wantsEventType } from '../../kernel/words/event-types.ts';
import { ChainTooDeep } from '../../messages/chain-too-deep.ts';
import type { NewMessage, NewRun, Publication } from '../../messages/publication.ts';
import type { NewId } from '../../new-id.ts';
import type { PublishingConfig } from './config-store.ts';

const triggersByConfig = new WeakMap<Pick<PublishingConfig, 'workflows'>, readonly EventTrigger[]>();

/** The workflows that messages of this channel begin, read once for each configuration. */
export function triggersOf(config: Pick<PublishingConfig, 'workflows'>, channelId: string): readonly EventTrigger[] {
  const known = triggersByConfig.get(config);
  if (known !== undefined) return known;
  const triggers = config.workflows.flatMap((stored) => eventTriggerOf(stored, channelId) ?? []);
  triggersByConfig.set(config, triggers);
  return triggers;
}

type Deciding = { filters: Pick<Filters, 'evaluate'>; newId: NewId };

/**
 * The runs of workflows that one message of a channel begins: one for each active workflow that covers it, wants its event type and lets
 * it through by its filter. Throws ChainTooDeep where the tenth run of a chain has published the message: so loops end.
 */
export async function runsOf(
  { filters, newId }: Deciding,
  { channelId, chainDepth = 0 }: Pick<Publication, 'channelId' | 'chainDepth'>,
  config: Pick<PublishingConfig, 'workflows'>,
  { id: messageId, eventType, payload, metadata }: NewMessage,
): Promise<NewRun[]> {
  const wanting = triggersOf(config, channelId).filter(
    ({ webhookId, eventTypes }) =>
      (webhookId === undefined || webhookId === metadata?.['webhookId']) && wantsEventType(eventTypes, eventType),
  );
  const expressions = wanting.flatMap(({ filter }) => (filter === undefined ? [] : [filter]));
  const verdicts =
    expressions.length === 0
      ? []
      : await filters.evaluate(expressions, { key: channelId, eventType, payload, metadata });
  const lets = new Map(expressions.map((expression, index) => [expression, verdicts[index]?.matches === true]));
  const beginning = wanting.filter(({ filter }) => filter === undefined || lets.get(filter) === true);
  const [first] = beginning;
  if (first !== undefined && chainDepth >= WORKFLOW_BOUNDS.chainDepth) throw new ChainTooDeep(first.workflowId);
  return beginning.map(({ workflowId, version, webhookId }) => ({
    id: newId('run'),
    messageId,
    workflowId,
    version,
    triggerType: webhookId === undefined ? 'event' : 'webhook',
  }));
}
