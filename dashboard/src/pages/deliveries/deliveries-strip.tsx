import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { deliverySeries } from '../../lib/delivered.ts';
import { countText } from '../../lib/format.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useZone } from '../../parts/moment.tsx';
import { useMarkers } from '../../parts/use-markers.ts';
import { ChartLegend } from '../../ui/chart/chart-legend.tsx';
import { TimeChart } from '../../ui/chart/time-chart.tsx';

const EVERY_MS = 10_000;
/** The default time range of a list. */
const USUAL = '24h';

/**
 * The deliveries in the time range of the list by their present status. The figures follow the filters by channel,
 * subscription and time; a legend entry filters by its status.
 */
export function DeliveriesStrip() {
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const zone = useZone();
  const { channel, subscription, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'deliveries-strip', channel, subscription, since, until],
    queryFn: () =>
      api.stats.get(
        { channelId: channel, subscriptionId: subscription, since: sinceOf(since), until: sinceOf(until) },
        at,
      ),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const stats = found.data;
  const marks = useMarkers({ since: stats?.since, until: stats?.until, isWanted: stats !== undefined });
  if (stats === undefined) return <div className="h-20 shrink-0" />;
  // Statuses that the list leaves out are struck through and not drawn.
  const isShown = (status: string): boolean =>
    search['status'] === undefined || search['status'].split(',').includes(status);
  const series = deliverySeries(stats.points)?.filter(({ key }) => isShown(key));
  const { created, isExact } = stats.deliveries;
  if (created === 0) return null;
  const statuses = [
    { key: 'failed', label: 'Failed', tone: 'failed' },
    { key: 'retrying', label: 'Retrying', tone: 'retrying' },
    { key: 'pending', label: 'Pending', tone: 'pending' },
    { key: 'delivered', label: 'Delivered', tone: 'delivered' },
  ] as const;
  return (
    <section
      aria-label="Deliveries by status"
      className="grid shrink-0 grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 px-6 pb-2 max-md:grid-cols-1 max-md:gap-y-2 max-md:px-4 [@media(height<480px)]:hidden"
    >
      <ChartLegend
        form="column"
        label={`Deliveries by status${isExact ? '' : ', the newest of this range'}`}
        entries={statuses
          .filter(({ key }) => key === 'failed' || key === 'delivered' || stats.deliveries[key] > 0)
          .map((status) => ({ ...status, count: `${countText(stats.deliveries[status.key])}${isExact ? '' : '+'}` }))}
        hidden={statuses.flatMap(({ key }) => (isShown(key) ? [] : [key]))}
        onPick={(key) => change({ status: search['status'] === key ? '' : key })}
      />
      <div className="min-w-0 max-md:hidden">
        <TimeChart
          label="Deliveries by status"
          height={52}
          isSlim
          isZoomable
          kind="bars"
          noun="deliveries"
          zone={zone}
          times={stats.points.map((point) => point.at)}
          stepSeconds={stats.stepSeconds}
          series={series ?? []}
          marks={marks.map((mark) => ({ at: mark.at, label: mark.name }))}
          onSpan={(from, to) => change({ since: from, until: to })}
        />
      </div>
    </section>
  );
}
