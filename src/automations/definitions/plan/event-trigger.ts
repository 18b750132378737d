import { planOf } from './compile.ts';
import { triggerFilter } from './trigger-filter.ts';

/**
 * An active workflow that begins with messages of a channel; with `webhookId` only with those that this inbound webhook has made. `filter`
 * is of the language of subscriptions.
 */
export type EventTrigger = {
  workflowId: string;
  version: number;
  webhookId?: string;
  eventTypes: readonly string[];
  filter?: string;
};

/** A channel of an environment. `isSystem`: that of the service events. */
type AskedChannel = { channelId: string; isSystem: boolean };

/**
 * The trigger of a workflow as publishing asks it; undefined where it does not cover the channel. A stored one that cannot be read begins
 * nothing: it must not be what stops the channel's publishers.
 */
export function eventTriggerOf(
  { workflowId, version, trigger }: { workflowId: string; version: number; trigger: string },
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
