import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { useHere } from '../../lib/session.ts';

/** What is left to do in a place or in one of its channels: deliveries that are due, and open dead letters. */
export function useBacklog(channelId: string | undefined) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: channelId === undefined ? [path, 'backlog'] : [path, 'backlog', channelId],
    queryFn: () => api.stats.getBacklog({ channelId }, at),
    refetchInterval: 3_000,
  });
}

/** How many dead letters are open, as a text; undefined before it is known. */
export function useOpenLettersText(channelId: string | undefined): string | undefined {
  const letters = useBacklog(channelId).data?.openDeadLetters;
  return letters === undefined ? undefined : boundedText(letters);
}
