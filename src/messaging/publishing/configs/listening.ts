import { wantsEventType } from '../../../kernel/words/event-types.ts';

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
