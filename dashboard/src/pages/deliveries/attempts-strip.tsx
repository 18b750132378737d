import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useZone } from '../../parts/moment.tsx';
import { useMarks } from '../../parts/use-marks.ts';
import { ChartLegend } from '../../ui/chart/chart-legend.tsx';
import { TimeChart } from '../../ui/chart/time-chart.tsx';
import { Tip } from '../../ui/tooltip.tsx';

const EVERY_MS = 10_000;
/** The span of a list without one. */
const USUAL = '24h';

/**
 * The attempts of the span of the list, by how they ended. Figures follow the filters by channel, subscription and time; the legend sums
 * them up, and leads to the rows.
 */
export function AttemptsStrip() {
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const zone = useZone();
  const { channel, subscription, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'attempts-strip', channel, subscription, since, until],
    queryFn: () =>
      api.stats.get(
        { channelId: channel, subscriptionId: subscription, since: sinceOf(since), until: sinceOf(until) },
        at,
      ),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const stats = found.data;
  const marks = useMarks({ since: stats?.since, until: stats?.until, isWanted: stats !== undefined });
  if (stats === undefined) return <div className="h-20 shrink-0" />;
  const { delivered, failedAttempts } = stats.totals;
  if (delivered + failedAttempts === 0) return null;
  return (
    <section
      aria-label="Delivery attempts"
      className="grid shrink-0 grid-cols-[auto_minmax(0,1fr)] gap-x-6 px-6 pb-2 max-md:grid-cols-1 max-md:gap-y-2 max-md:px-4 [@media(height<480px)]:hidden"
    >
      <Tip text="Counts attempts. Not filtered by status.">
        <div className="flex">
          <ChartLegend
            form="column"
            label="Attempts by result"
            entries={[
              { key: 'failed', label: 'Failed', tone: 'failed', count: countText(failedAttempts) },
              { key: 'delivered', label: 'Delivered', tone: 'delivered', count: countText(delivered) },
            ]}
            onPick={(key) => change({ status: key === 'failed' ? 'failed,retrying' : key })}
          />
        </div>
      </Tip>
      <div className="min-w-0 max-md:hidden">
        <TimeChart
          label="Delivery attempts"
          height={52}
          isSlim
          kind="bars"
          zone={zone}
          times={stats.points.map((point) => point.at)}
          stepSeconds={stats.stepSeconds}
          series={[
            {
              key: 'delivered',
              label: 'Delivered',
              tone: 'delivered',
              values: stats.points.map((point) => point.delivered),
            },
            {
              key: 'failed',
              label: 'Failed',
              tone: 'failed',
              values: stats.points.map((point) => point.failedAttempts),
            },
          ]}
          marks={marks.map((mark) => ({ at: mark.at, label: mark.name }))}
          onSpan={(from, to) => change({ since: from, until: to })}
        />
      </div>
    </section>
  );
}
