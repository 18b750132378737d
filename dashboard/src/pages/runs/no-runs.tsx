import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { dateText } from '../../lib/format.ts';
import { sinceOf } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { useZone } from '../../parts/moment.tsx';

const DAY_MS = 86_400_000;

/**
 * Shown instead of an empty list of runs. It names the app's retention, which counts from the end of a run. Because a
 * run was created before it ended, the creation time may be older than the retention although some runs are still
 * there; then the list is not empty.
 */
export function NoRuns({
  filters,
  since,
  until,
}: {
  filters: readonly string[];
  since: string | undefined;
  until: string | undefined;
}) {
  const { at, app } = useHere();
  const zone = useZone();
  const end = sinceOf(until);
  const found = useQuery({
    queryKey: ['app', app.id],
    queryFn: () => api.apps.get(app.id, at),
    enabled: end !== undefined,
  });
  const given = { title: 'No runs match', filters, since, until };
  // A changing explanation would move what the user is reading.
  if (end !== undefined && found.isPending) return null;
  const days = found.data?.settings.retentionDays ?? 0;
  const now = Date.now();
  const kept = new Date(now - days * DAY_MS).toISOString();
  if (end === undefined || days === 0 || end > kept) return <NothingMatches {...given} />;
  return (
    <NothingMatches {...given} title="Outside the retention period">
      {`${app.name} keeps runs for ${counted(days, 'day')} after they have ended. Runs that ended before ${dateText(kept, now, zone)} have been deleted.`}
    </NothingMatches>
  );
}
