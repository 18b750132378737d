import type { Filters } from '../../filters/filters.ts';
import { listedEventTypes, wantsEventType } from '../../kernel/words/event-types.ts';
import type { Trigger } from '../definitions/configs/planned.ts';
import { triggerFilter } from '../definitions/plan/trigger-filter.ts';
import type { Sample } from '../engine/load-store.ts';
import type { TrialBegins, TryWorkflow } from './schema.ts';

/** `key`: whose turn the filter takes. `sample`: the event with what was left out of it. */
type Asked = { key: string; event: TryWorkflow['event']; sample: Sample };
type OfMessages = Extract<Trigger, { type: 'event' | 'webhook' }>;

/**
 * Asks the trigger about the event as publishing asks it (src/publishing/configs/new-runs.ts). Channel, event type and metadata that
 * the event leaves out count as fitting: its author has said nothing about them. The filter sees what stands in their places.
 */
export async function beginsWith(
  filters: Pick<Filters, 'evaluate'>,
  trigger: Trigger,
  { key, event = {}, sample }: Asked,
): Promise<TrialBegins> {
  if (trigger.type === 'manual' || trigger.type === 'schedule')
    return {
      wouldBegin: false,
      reason: 'trigger_type',
      detail: trigger.type === 'manual' ? 'begins by hand' : 'begins at set times',
    };
  const elsewhere = elsewhereOf(trigger, event);
  if (elsewhere !== undefined) return elsewhere;
  if (event.eventType !== undefined && !wantsEventType(trigger.eventTypes, event.eventType))
    return { wouldBegin: false, reason: 'event_type', detail: `begins with ${listedEventTypes(trigger.eventTypes)}` };
  if (trigger.filter === undefined) return { wouldBegin: true, reason: 'no_filter' };
  const message = {
    key,
    eventType: sample.eventType ?? '',
    payload: sample.payload ?? '{}',
    metadata: sample.metadata ?? undefined,
  };
  const [verdict] = await filters.evaluate([triggerFilter(trigger.filter)], message);
  if (verdict?.error !== undefined) return { wouldBegin: false, reason: 'filter_failed', detail: verdict.error };
  return verdict?.matches === true
    ? { wouldBegin: true, reason: 'filter_matches' }
    : { wouldBegin: false, reason: 'filter_does_not_match' };
}

/** The answer where the event is of another place than the trigger's; undefined where it may be of that. */
function elsewhereOf(trigger: OfMessages, event: NonNullable<TryWorkflow['event']>): TrialBegins | undefined {
  if (trigger.type === 'webhook')
    return event.metadata === undefined || event.metadata['webhookId'] === trigger.webhookId
      ? undefined
      : { wouldBegin: false, reason: 'webhook', detail: `begins with messages of ${trigger.webhookId}` };
  const { channelIds } = trigger;
  return event.channelId === undefined || channelIds.length === 0 || channelIds.includes(event.channelId)
    ? undefined
    : { wouldBegin: false, reason: 'channel', detail: `begins with messages of ${channelIds.join(', ')}` };
}
