import { useQuery } from '@tanstack/react-query';
import { api, type Marker } from '../api/client.ts';
import { useHere } from '../lib/session.ts';

/** Most markers loaded for a range. */
const MOST = 100;
const EVERY_MS = 15_000;

/**
 * Returns the markers of a range, the latest first, at most a hundred: later than `since` and earlier than `until`,
 * both ISO times. Without a range, all of them. A chart draws them as lines once its data says which range it covers
 * (`isWanted`).
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
    // The range may move with each response of a chart; keep the markers meanwhile.
    placeholderData: (before) => before,
    enabled: isWanted,
  });
  return found.data?.data ?? [];
}
