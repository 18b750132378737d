import type { Filters } from '../../messaging/filters/filters.ts';
import { listedEventTypes, wantsEventType, systemChannelId } from '../../kernel/words/event-types.ts';
import type { Trigger } from '../definitions/configs/planned.ts';
import { coversChannel } from '../definitions/plan/event-trigger.ts';
import { triggerFilter } from '../definitions/plan/trigger-filter.ts';
import type { Sample } from '../engine/load-store.ts';
import type { TrialBegins, TestWorkflow } from './schema.ts';

/** `key`: whose turn the filter takes. `sample`: the event with what was left out of it. */
type Asked = { environmentId: string; key: string; event: TestWorkflow['event']; sample: Sample };
type OfMessages = Extract<Trigger, { type: 'event' | 'webhook' }>;

/**
 * Asks the trigger about the event as publishing asks it (src/messaging/publishing/configs/new-runs.ts). Channel, event type and
 * metadata that the event leaves out count as fitting: its author has said nothing about them. The filter sees what stands in their places.
 */
export async function beginsWith(
  filters: Pick<Filters, 'evaluate'>,
  trigger: Trigger,
  { environmentId, key, event = {}, sample }: Asked,
): Promise<TrialBegins> {
  if (trigger.type === 'manual' || trigger.type === 'schedule')
    return {
      wouldStart: false,
      reason: 'trigger_type',
      detail: trigger.type === 'manual' ? 'begins by hand' : 'begins at set times',
    };
  const elsewhere = elsewhereOf(trigger, event, systemChannelId(environmentId));
  if (elsewhere !== undefined) return elsewhere;
  if (event.eventType !== undefined && !wantsEventType(trigger.eventTypes, event.eventType))
    return { wouldStart: false, reason: 'event_type', detail: `begins with ${listedEventTypes(trigger.eventTypes)}` };
  if (trigger.filter === undefined) return { wouldStart: true, reason: 'no_filter' };
  const message = {
    key,
    eventType: sample.eventType ?? '',
    payload: sample.payload ?? '{}',
    metadata: sample.metadata ?? undefined,
  };
  const [verdict] = await filters.evaluate([triggerFilter(trigger.filter)], message);
  if (verdict?.error !== undefined) return { wouldStart: false, reason: 'filter_failed', detail: verdict.error };
  return verdict?.matches === true
    ? { wouldStart: true, reason: 'filter_matches' }
    : { wouldStart: false, reason: 'filter_does_not_match' };
}

/** The answer where the event is of another place than the trigger's; undefined where it may be of that. */
function elsewhereOf(
  trigger: OfMessages,
  { channelId, metadata }: NonNullable<TestWorkflow['event']>,
  systemId: string,
): TrialBegins | undefined {
  if (trigger.type === 'webhook')
    return metadata === undefined || metadata['webhookId'] === trigger.webhookId
      ? undefined
      : { wouldStart: false, reason: 'webhook', detail: `begins with messages of ${trigger.webhookId}` };
  if (channelId === undefined || coversChannel(trigger, { channelId, isSystem: channelId === systemId }))
    return undefined;
  const { channelIds } = trigger;
  const detail =
    channelIds.length === 0
      ? `begins with service events only where it names ${systemId} or their event types`
      : `begins with messages of ${channelIds.join(', ')}`;
  return { wouldStart: false, reason: 'channel', detail };
}
