import { useQuery } from '@tanstack/react-query';
import { api, type MessageSummary } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';

/** How many of the newest messages are offered as samples, and their event types as suggestions. */
const RECENT = 50;
const NONE: readonly MessageSummary[] = [];

/**
 * Returns the newest messages of a channel, without their payloads. Undefined until they are loaded; empty if they
 * cannot be.
 */
export function useRecentMessages(channelId: string): readonly MessageSummary[] | undefined {
  const { at, path } = useHere();
  const { data, isError } = useQuery({
    queryKey: [path, 'recent-messages', channelId],
    queryFn: async () => (await api.messages.listAll({ channelId, limit: RECENT }, at).page()).data,
    meta: { failure: 'own' },
    staleTime: 30_000,
  });
  return data ?? (isError ? NONE : undefined);
}

/** Returns the event types of the newest messages of a channel. */
export function useRecentTypes(channelId: string): readonly string[] {
  const messages = useRecentMessages(channelId) ?? [];
  return [...new Set(messages.map(({ eventType }) => eventType))].toSorted();
}
