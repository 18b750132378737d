import { api, type MessageSummary } from '../../../api/client.ts';
import type { FlowGraph } from '../../../lib/flow-graph.ts';
import type { Here } from '../../../lib/session.ts';

/** So many lists are asked for at most: one for each channel and event type. */
const MOST_LISTS = 6;

const namesIn = (one: unknown, many: unknown): string[] => [
  ...new Set(
    [one, ...(Array.isArray(many) ? (many as unknown[]) : [])].filter(
      (each): each is string => typeof each === 'string' && each !== '',
    ),
  ),
];

/** The channels that the trigger names. */
export const triggerChannels = ({ trigger: { config } }: FlowGraph): string[] =>
  namesIn(config['channelId'], config['channelIds']);

/** The event types that the trigger names, and beginnings of them such as `order.*`. */
export const triggerTypes = ({ trigger: { config } }: FlowGraph): string[] =>
  namesIn(config['eventType'], config['eventTypes']);

/** The newest messages with a channel and an event type of the trigger, newest first. */
export async function newestOfTrigger(flow: FlowGraph, limit: number, at: Here['at']): Promise<MessageSummary[]> {
  const anyIfNone = (names: readonly string[]): readonly (string | undefined)[] =>
    names.length === 0 ? [undefined] : names;
  const lists = anyIfNone(triggerChannels(flow))
    .flatMap((channelId) => anyIfNone(triggerTypes(flow)).map((eventType) => ({ channelId, eventType })))
    .slice(0, MOST_LISTS);
  const pages = await Promise.all(lists.map((list) => api.messages.listAll({ ...list, limit }, at).page()));
  const found = new Map(pages.flatMap(({ data }) => data).map((message) => [message.id, message]));
  // IDs sort by time.
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
}
