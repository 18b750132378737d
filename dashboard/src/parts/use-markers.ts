import { useQuery } from '@tanstack/react-query';
import { api, type Marker } from '../api/client.ts';
import { useHere } from '../lib/session.ts';

/** So many of a range are read. */
const MOST = 100;
const EVERY_MS = 15_000;

/**
 * The marked moments of a range, the latest first, at most a hundred: later than `since` and earlier than `until`, both as ISO times.
 * Without a range all of them. A chart draws them as lines, once its figures say which range they are of (`isWanted`).
 */
export function useMarkers({
  since,
  until,
  isWanted = true,
}: {
  since?: string | undefined;
  until?: string | undefined;
  isWanted?: boolean;
} = {}): readonly Marker[] {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'marks', since, until],
    queryFn: () => api.markers.list({ since, until, limit: MOST }, at).page(),
    refetchInterval: EVERY_MS,
    // The range may move with each answer of a chart: its marks stay meanwhile.
    placeholderData: (before) => before,
    enabled: isWanted,
  });
  return found.data?.data ?? [];
}
