import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Stats } from '../../api/client.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';

const EVERY_MS = 10_000;
/** The span of a page without one. */
export const USUAL = '24h';

export type TwoSpans = { now: Stats; earlier: Stats };
export type FiguresQuery = ReturnType<typeof useFigures>;

/** The figures of the span that the address names, and of as long before it: of the place, or of a channel or subscription. */
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

/** The part of an address that leads to the rows of the same span, and of the channel or subscription. */
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
