import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Info } from 'lucide-react';
import { api } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import type { ListFilter } from '../../lib/list-filter.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useZone } from '../../parts/moment.tsx';
import { useMarkers } from '../../parts/use-markers.ts';
import { TimeChart } from '../../ui/chart/time-chart.tsx';
import { IconButton } from '../../ui/button.tsx';

const EVERY_MS = 10_000;
/** The default time range of a list. */
const USUAL = '24h';
const LEAST_BARS = 3;
/** Filters that the statistics support: messages are counted by time and by channel. */
const FOLLOWED: readonly string[] = ['channel', 'since', 'until'];

/**
 * How many messages were accepted in the time range of the list. Dragging over the bars narrows the list to that time.
 */
export function MessagesStrip({ filters }: { filters: readonly ListFilter[] }) {
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const zone = useZone();
  const { channel, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'messages-strip', channel, since, until],
    queryFn: () => api.stats.get({ channelId: channel, since: sinceOf(since), until: sinceOf(until) }, at),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const stats = found.data;
  const marks = useMarkers({ since: stats?.since, until: stats?.until, isWanted: stats !== undefined });
  if (stats === undefined) return <div className="h-20 shrink-0 max-md:hidden" />;
  const accepted = stats.totals.accepted ?? 0;
  if (accepted === 0) return null;
  // With fewer bars, a sentence is shown that contains the count.
  const isSentence = stats.points.filter((point) => (point.accepted ?? 0) > 0).length < LEAST_BARS;
  const beside = filters.filter(({ name }) => search[name] !== undefined && !FOLLOWED.includes(name));
  const note = `Counts all accepted messages. Not filtered by ${beside.map(({ label }) => label.toLowerCase()).join(', ')}.`;
  return (
    <section
      aria-label="Accepted messages"
      className="flex shrink-0 gap-x-6 px-6 pb-2 max-md:hidden [@media(height<480px)]:hidden"
    >
      <div
        className={clsx('flex min-w-24 flex-col justify-center pb-5', isSentence && beside.length === 0 && 'hidden')}
      >
        <span className="flex h-6 items-center gap-1 text-12 text-text-2">
          Accepted
          {beside.length > 0 && <IconButton icon={Info} size="small" label={note} />}
        </span>
        {!isSentence && <span className="font-medium tabular-nums">{countText(accepted)}</span>}
      </div>
      <div className="min-w-0 grow">
        <TimeChart
          label="Accepted messages"
          noun="messages"
          height={52}
          isSlim
          kind="bars"
          zone={zone}
          times={stats.points.map((point) => point.at)}
          stepSeconds={stats.stepSeconds}
          series={[
            {
              key: 'accepted',
              label: 'Accepted',
              tone: 'accent',
              values: stats.points.map((point) => point.accepted ?? 0),
            },
          ]}
          marks={marks.map((mark) => ({ at: mark.at, label: mark.name }))}
          onSpan={(from, to) => change({ since: from, until: to, open: '' })}
        />
      </div>
    </section>
  );
}
