import { wantsEventType } from '../../../kernel/words/event-types.ts';

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
export type AskedChannel = { channelId: string; isSystem: boolean };

/** The trigger (JSON text) of a workflow's version that new runs take. */
export type StoredTrigger = { workflowId: string; version: number; trigger: string };

/**
 * Reads a stored trigger as publishing asks it: which messages of the channel begin runs. Undefined where it does not cover the channel.
 * Automations provide it, since the language of triggers is theirs.
 */
export type ReadEventTrigger = (stored: StoredTrigger, channel: AskedChannel) => EventTrigger | undefined;

/** Messages that a step may wait for, or that may cancel a run. Empty lists stand for all. */
export type Listening = { channelIds: string[]; eventTypes: string[] };

/** Whether messages of this channel may be among them. */
export const isForChannel = ({ channelIds }: Listening, channelId: string): boolean =>
  channelIds.length === 0 || channelIds.includes(channelId);

/** Whether a message of this channel is one of them. */
export const hears = (
  listening: Listening,
  { channelId, eventType }: { channelId: string; eventType: string },
): boolean => isForChannel(listening, channelId) && wantsEventType(listening.eventTypes, eventType);

// Publishers choose event types, so there may be any number of them.
const TYPES_AT_MOST = 1_000;
// A longer list takes memory for each type, and what it stands for costs far more than to find it.
const REMEMBERED_AT_MOST = 20;

/**
 * Remembers what `find` says of each event type, for as long as the configuration is there. A publish then costs the same beside ten
 * thousand workflows of other event types as beside ten.
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
