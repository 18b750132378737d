import { wantsEventType } from '../../../kernel/words/event-types.ts';

/**
 * An active workflow that messages of a channel start; with `webhookId`, only those of that inbound webhook. `filter`
 * is in the language of subscription filters.
 */
export type EventTrigger = {
  workflowId: string;
  version: number;
  webhookId?: string;
  eventTypes: readonly string[];
  filter?: string;
};

/** A channel of an environment. `isSystem`: whether it is the one for service events. */
export type AskedChannel = { channelId: string; isSystem: boolean };

/** The trigger (JSON text) of the workflow version that new runs use. */
export type StoredTrigger = { workflowId: string; version: number; trigger: string };

/**
 * Converts a stored trigger to what publishing needs: which messages of the channel start runs. Returns undefined if it
 * does not apply to the channel. Implemented by the automations modules, which own the language of triggers.
 */
export type ReadEventTrigger = (stored: StoredTrigger, channel: AskedChannel) => EventTrigger | undefined;

/** Messages that a step may wait for, or that may cancel a run. An empty list means all. */
export type Listening = { channelIds: string[]; eventTypes: string[] };

/** Whether messages of this channel may be included. */
export const isForChannel = ({ channelIds }: Listening, channelId: string): boolean =>
  channelIds.length === 0 || channelIds.includes(channelId);

/** Whether a message of this channel is included. */
export const hears = (
  listening: Listening,
  { channelId, eventType }: { channelId: string; eventType: string },
): boolean => isForChannel(listening, channelId) && wantsEventType(listening.eventTypes, eventType);

// Publishers choose event types, so there may be any number of them.
const TYPES_AT_MOST = 1_000;
// A longer list takes memory per type, and processing it costs far more than finding it again.
const REMEMBERED_AT_MOST = 20;

/**
 * Caches the result of `find` by event type for as long as the configuration exists, so that a publish costs the same
 * whether there are ten or ten thousand workflows for other event types.
 */
export function createByEventType<C extends object, T>(
  find: (config: C, eventType: string) => readonly T[],
): (config: C, eventType: string) => readonly T[] {
  const known = new WeakMap<C, Map<string, readonly T[]>>();
  return (config, eventType) => {
    const types = known.get(config) ?? new Map<string, readonly T[]>();
    known.set(config, types);
    const held = types.get(eventType);
    if (held !== undefined) return held;
    const found = find(config, eventType);
    if (types.size >= TYPES_AT_MOST) types.clear();
    if (found.length <= REMEMBERED_AT_MOST) types.set(eventType, found);
    return found;
  };
}
