import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { sinceOf } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { NoneMatch } from './none-match.tsx';

const DAY_MS = 86_400_000;
/** The time since when things are kept for so many days. */
const keptSinceOf = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/**
 * Stands in place of an empty list of runs: an app keeps them for so many days after their end. A run is older than its end, so that a
 * time in which runs began may lie before the retention although some of them are there. Then the list is not empty.
 */
export function NoneKeptRuns({ filters, until }: { filters: readonly string[]; until: string | undefined }) {
  const t = useTexts();
  const times = useTimes();
  const { at, app } = useHere();
  const end = sinceOf(until);
  const found = useQuery({
    queryKey: ['app', app.id],
    queryFn: () => api.apps.get(app.id, at),
    enabled: end !== undefined,
  });
  const days = found.data?.settings.retentionDays;
  // One explanation after another would move what is being read.
  if (end !== undefined && found.isPending) return null;
  if (end === undefined || days === undefined || end > keptSinceOf(days)) return <NoneMatch filters={filters} />;
  const why = t.list.retention.ofRuns(t.channels.days(days), times.short(keptSinceOf(days)));
  return <NoneMatch filters={filters} title={t.list.retention.title} why={why} />;
}
