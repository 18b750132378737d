import { type EventTrigger, createByEventType } from './event-triggers.ts';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { Filters } from '../../filters/filters.ts';
import { wantsEventType } from '../../../kernel/words/event-types.ts';
import { ChainTooDeep, type NewMessage, type NewRun, type Publication } from '../../messages/publication.ts';
import type { NewId } from '../../../platform/new-id.ts';
import type { PublishingConfig } from './channel-configs.ts';

/** The part of a configuration that runs depend on. */
type Triggers = Pick<PublishingConfig, 'triggers'>;

/** Triggers that any message of the event type starts. */
const beginning = createByEventType(({ triggers }: Triggers, eventType) =>
  triggers.filter(({ webhookId, eventTypes }) => webhookId === undefined && wantsEventType(eventTypes, eventType)),
);

const ofWebhooks = new WeakMap<Triggers, Map<string, EventTrigger[]>>();

/** Triggers that only messages of one inbound webhook start. An environment may have thousands of webhooks. */
function beginningWith(config: Triggers, webhookId: string | undefined): readonly EventTrigger[] {
  if (webhookId === undefined) return [];
  const known = ofWebhooks.get(config) ?? byWebhook(config);
  ofWebhooks.set(config, known);
  return known.get(webhookId) ?? [];
}

function byWebhook({ triggers }: Triggers): Map<string, EventTrigger[]> {
  const found = new Map<string, EventTrigger[]>();
  for (const trigger of triggers) {
    if (trigger.webhookId === undefined) continue;
    const others = found.get(trigger.webhookId) ?? [];
    others.push(trigger);
    found.set(trigger.webhookId, others);
  }
  return found;
}

type Deciding = { filters: Pick<Filters, 'evaluate'>; newId: NewId };

/**
 * Returns the active workflows that a message of a channel starts: those that include the channel and event type, and
 * whose filter matches.
 */
export async function beginningBy(
  filters: Deciding['filters'],
  channelId: string,
  config: Triggers,
  { eventType, payload, metadata }: Pick<NewMessage, 'eventType' | 'payload' | 'metadata'>,
): Promise<EventTrigger[]> {
  const ofWebhook = beginningWith(config, metadata?.['webhookId']).filter(({ eventTypes }) =>
    wantsEventType(eventTypes, eventType),
  );
  const wanting = [...beginning(config, eventType), ...ofWebhook];
  const expressions = wanting.flatMap(({ filter }) => (filter === undefined ? [] : [filter]));
  const verdicts =
    expressions.length === 0
      ? []
      : await filters.evaluate(expressions, { key: channelId, eventType, payload, metadata });
  const lets = new Map(expressions.map((expression, index) => [expression, verdicts[index]?.matches === true]));
  return wanting.filter(({ filter }) => filter === undefined || lets.get(filter) === true);
}

/**
 * Returns the workflow runs that a message of a channel starts (`beginningBy`). Throws ChainTooDeep if the message was
 * published by the last run that a chain may have, so that loops end.
 */
export async function runsOf(
  { filters, newId }: Deciding,
  { channelId, chainDepth = 0 }: Pick<Publication, 'channelId' | 'chainDepth'>,
  config: Triggers,
  message: NewMessage,
): Promise<NewRun[]> {
  const begun = await beginningBy(filters, channelId, config, message);
  const [first] = begun;
  if (first !== undefined && chainDepth >= WORKFLOW_BOUNDS.chainDepth) throw new ChainTooDeep(first.workflowId);
  return begun.map(({ workflowId, version, webhookId }) => ({
    id: newId('run'),
    messageId: message.id,
    workflowId,
    version,
    triggerType: webhookId === undefined ? 'event' : 'webhook',
  }));
}
