import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { useHere } from '../../lib/session.ts';

/** Returns what is pending in an environment or in one of its channels: due deliveries and open dead letters. */
export function useBacklog(channelId: string | undefined) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: channelId === undefined ? [path, 'backlog'] : [path, 'backlog', channelId],
    queryFn: () => api.stats.getBacklog({ channelId }, at),
    refetchInterval: 3_000,
  });
}

/** Returns how many dead letters are open, as a text; undefined until it is known. */
export function useOpenLettersText(channelId: string | undefined): string | undefined {
  const letters = useBacklog(channelId).data?.openDeadLetters;
  return letters === undefined ? undefined : boundedText(letters);
}
