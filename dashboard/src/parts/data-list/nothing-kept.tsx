import { SearchX } from 'lucide-react';
import { dateText } from '../../lib/format.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { counted } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { useZone } from '../moment.tsx';
import { FULL } from '../use-found.ts';
import { useChannels } from '../use-names.ts';
import { SPANS } from './time-range.tsx';

const DAY_MS = 86_400_000;

/**
 * Shown instead of a list that is empty because of its filters. It names these filters and offers ways to widen the
 * search.
 */
export function NothingMatches({
  title,
  filters,
  since,
  until,
  children,
}: {
  title: string;
  filters: readonly string[];
  since?: string | undefined;
  until?: string | undefined;
  children?: string | undefined;
}) {
  const [, change] = useAddress();
  const spans = Object.entries(SPANS);
  const larger = until === undefined ? spans[spans.findIndex(([span]) => span === since) + 1] : undefined;
  return (
    <Empty
      icon={SearchX}
      title={title}
      actions={
        <>
          <Button onClick={() => change(Object.fromEntries(filters.map((name) => [name, ''])))}>Clear filters</Button>
          {since !== undefined && larger !== undefined && (
            <Button onClick={() => change({ since: larger[0] })}>{larger[1]}</Button>
          )}
        </>
      }
    >
      {children !== undefined && <p>{children}</p>}
    </Empty>
  );
}

/**
 * Like NothingMatches, for messages and what is removed with them. If the requested time is older than the retention of the
 * channel, or of every channel, it says so and names the retention. `until`: the end of that time, as the address has
 * it.
 */
export function NothingKept({
  channel,
  ...given
}: {
  title: string;
  filters: readonly string[];
  channel: string | undefined;
  since: string | undefined;
  until: string | undefined;
}) {
  const channels = useChannels();
  const zone = useZone();
  const end = sinceOf(given.until);
  const those = channel === undefined ? channels.all : channels.all.filter(({ id }) => id === channel);
  // With a full page of channels there may be one with a longer retention.
  const isWhole = channel === undefined ? channels.all.length < FULL : those.length === 1;
  const days = Math.max(0, ...those.map(({ retentionDays }) => retentionDays));
  const now = Date.now();
  const kept = new Date(now - days * DAY_MS).toISOString();
  if (end === undefined || days === 0 || !isWhole || end > kept) return <NothingMatches {...given} />;
  const whose =
    channel === undefined
      ? 'No channel keeps messages for longer than'
      : `${those[0]?.name ?? channel} keeps messages for`;
  return (
    <NothingMatches {...given} title="Outside the retention period">
      {`${whose} ${counted(days, 'day')}. Messages, deliveries and dead letters from before ${dateText(kept, now, zone)} have been deleted.`}
    </NothingMatches>
  );
}
