import { api, type MessageSummary } from '../../../api/client.ts';
import type { FlowGraph } from '../../../lib/flow-graph.ts';
import type { Here } from '../../../lib/session.ts';
import { triggerChannels, triggerTypes } from '../../../lib/trigger-match.ts';

/** Maximum number of lists to request: one for each channel and event type. */
const MOST_LISTS = 6;

/** Returns the newest messages with a channel and an event type of the trigger, newest first. */
export async function newestOfTrigger(flow: FlowGraph, limit: number, at: Here['at']): Promise<MessageSummary[]> {
  const anyIfNone = (names: readonly string[]): readonly (string | undefined)[] =>
    names.length === 0 ? [undefined] : names;
  const lists = anyIfNone(triggerChannels(flow))
    .flatMap((channelId) => anyIfNone(triggerTypes(flow)).map((eventType) => ({ channelId, eventType })))
    .slice(0, MOST_LISTS);
  const pages = await Promise.all(lists.map((list) => api.messages.listAll({ ...list, limit }, at).page()));
  const found = new Map(pages.flatMap(({ data }) => data).map((message) => [message.id, message]));
  // Ids sort by time.
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
}
