import { type EventTrigger, createByEventType } from './event-triggers.ts';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { Filters } from '../../filters/filters.ts';
import { wantsEventType } from '../../../kernel/words/event-types.ts';
import { ChainTooDeep, type NewMessage, type NewRun, type Publication } from '../../messages/publication.ts';
import type { NewId } from '../../../platform/new-id.ts';
import type { PublishingConfig } from './channel-configs.ts';

/** As much of a configuration as runs depend on. */
type Triggers = Pick<PublishingConfig, 'triggers'>;

/** Triggers that any message of the event type begins. */
const beginning = createByEventType(({ triggers }: Triggers, eventType) =>
  triggers.filter(({ webhookId, eventTypes }) => webhookId === undefined && wantsEventType(eventTypes, eventType)),
);

const ofWebhooks = new WeakMap<Triggers, Map<string, EventTrigger[]>>();

/** Triggers that the messages of one inbound webhook alone begin. An environment may have thousands of webhooks. */
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

/** The active workflows that one message of a channel begins: each that covers the channel and wants the type, and whose filter agrees. */
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
 * The runs of workflows that one message of a channel begins (`beginningBy`). Throws ChainTooDeep where the tenth run of a chain has
 * published the message: so loops end.
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
