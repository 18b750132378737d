import { sinceOf } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { FULL } from './use-found.ts';
import { NoneMatch } from './none-match.tsx';
import { useChannels } from './use-names.ts';

const DAY_MS = 86_400_000;
/** The time since when things are kept for so many days. */
const keptSinceOf = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/**
 * Stands in place of an empty list of messages, or of what is removed with them. Where the asked time lies before all that the channel
 * keeps, or every channel does, it says so and names the retention. `until`: the end of that time, as the address has it.
 */
export function NoneKept({
  filters,
  channel,
  until,
}: {
  filters: readonly string[];
  channel: string | undefined;
  until: string | undefined;
}) {
  const t = useTexts();
  const times = useTimes();
  const channels = useChannels();
  const end = sinceOf(until);
  const those = channel === undefined ? channels.all : channels.all.filter(({ id }) => id === channel);
  // With a full page of channels there may be one that keeps its messages for longer.
  const isWhole = channel === undefined ? channels.all.length < FULL : those.length === 1;
  const days = Math.max(0, ...those.map(({ retentionDays }) => retentionDays));
  const keptSince = keptSinceOf(days);
  if (end === undefined || days === 0 || !isWhole || end > keptSince) return <NoneMatch filters={filters} />;
  const since = times.short(keptSince);
  const why =
    channel === undefined
      ? t.list.retention.ofAll(t.channels.days(days), since)
      : t.list.retention.ofChannel(those[0]?.name ?? channel, t.channels.days(days), since);
  return <NoneMatch filters={filters} title={t.list.retention.title} why={why} />;
}
