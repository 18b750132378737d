import { planOf } from './compile.ts';
import { triggerFilter } from './trigger-filter.ts';
import type {
  AskedChannel,
  EventTrigger,
  StoredTrigger,
} from '../../../messaging/publishing/configs/event-triggers.ts';

/**
 * The trigger of a workflow as publishing asks it; undefined where it does not cover the channel. A stored one that cannot be read begins
 * nothing: it must not be what stops the channel's publishers.
 */
export function eventTriggerOf(
  { workflowId, version, trigger }: StoredTrigger,
  channel: AskedChannel,
): EventTrigger | undefined {
  const planned = readTrigger(trigger);
  if (planned?.type !== 'event' && planned?.type !== 'webhook') return undefined;
  if (planned.type === 'event' && (planned.source !== 'channel' || !coversChannel(planned, channel))) return undefined;
  const { eventTypes, filter } = planned;
  return {
    workflowId,
    version,
    ...(planned.type === 'webhook' && { webhookId: planned.webhookId }),
    eventTypes,
    ...(filter !== undefined && { filter: triggerFilter(filter) }),
  };
}

/**
 * Whether messages of a channel may begin a workflow with this trigger. One without channels covers all of them, but service events only
 * where it names event types: a workflow that takes everything would otherwise be begun by its own failures, too.
 */
export const coversChannel = (
  { channelIds, eventTypes }: { channelIds: readonly string[]; eventTypes: readonly string[] },
  { channelId, isSystem }: AskedChannel,
): boolean => (channelIds.length === 0 ? !isSystem || eventTypes.length > 0 : channelIds.includes(channelId));

function readTrigger(trigger: string) {
  try {
    return planOf(JSON.parse(trigger), []).trigger;
  } catch {
    return undefined;
  }
}
