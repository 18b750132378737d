import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Stats } from '../../api/client.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';

const EVERY_MS = 10_000;
/** The default time range of a page. */
export const USUAL = '24h';

export type TwoSpans = { now: Stats; earlier: Stats };
export type FiguresQuery = ReturnType<typeof useFigures>;

/**
 * Returns the figures for the time range in the address, and for the preceding period of equal length: of the
 * environment, or of a channel or subscription.
 */
export function useFigures(channelId: string | undefined, subscriptionId?: string) {
  const { at, path } = useHere();
  const [search] = useAddress();
  const { since = USUAL, until } = search;
  return useQuery({
    queryKey: [path, 'overview-figures', channelId, subscriptionId, since, until],
    queryFn: async (): Promise<TwoSpans> => {
      const [from, to] = [sinceOf(since) ?? sinceOf(USUAL) ?? '', sinceOf(until)];
      const length = Date.parse(to ?? new Date().toISOString()) - Date.parse(from);
      const before = new Date(Date.parse(from) - Math.max(60_000, length)).toISOString();
      const [now, earlier] = await Promise.all([
        api.stats.get({ channelId, subscriptionId, since: from, until: to }, at),
        api.stats.get({ channelId, subscriptionId, since: before, until: from }, at),
      ]);
      return { now, earlier };
    },
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** Returns the search parameters of a link to the rows of the same time range, and of the channel or subscription. */
export function useRows(channelId: string | undefined, subscriptionId?: string): Readonly<Record<string, string>> {
  const [search] = useAddress();
  const { since = USUAL, until } = search;
  return {
    since,
    ...(until !== undefined && { until }),
    ...(channelId !== undefined && { channel: channelId }),
    ...(subscriptionId !== undefined && { subscription: subscriptionId }),
  };
}
