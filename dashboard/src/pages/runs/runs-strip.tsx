import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { api } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { countText } from '../../lib/format.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useZone } from '../../parts/moment.tsx';
import { useMarkers } from '../../parts/use-markers.ts';
import { IconButton } from '../../ui/button.tsx';
import { ChartLegend } from '../../ui/chart/chart-legend.tsx';
import { TimeChart } from '../../ui/chart/time-chart.tsx';

const EVERY_MS = 10_000;
/** The default time range of a list. */
const USUAL = '24h';

const OUTCOMES = [
  { key: 'failed', label: 'Failed', tone: 'failed' },
  { key: 'completed', label: 'Completed', tone: 'delivered' },
  { key: 'cancelled', label: 'Cancelled', tone: 'cancelled' },
  { key: 'skipped', label: 'Skipped', tone: 'held' },
] as const;
const UNFINISHED = 'pending,running,waiting,paused';
const NOTE = 'Runs by when they ended. One that fails again after a retry counts again.';

/**
 * How runs of one or all workflows ended in the time range of the list. A legend entry filters by its status, and
 * dragging over the bars narrows the list to that time.
 */
export function RunsStrip() {
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const zone = useZone();
  const { workflow, status, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'run-outcomes', workflow, since, until],
    queryFn: () => api.stats.getRuns({ workflowId: workflow, since: sinceOf(since), until: sinceOf(until) }, at),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const stats = found.data;
  const marks = useMarkers({ since: stats?.since, until: stats?.until, isWanted: stats !== undefined });
  if (stats === undefined) return <div className="h-20 shrink-0 max-md:hidden" />;
  const { totals, points, stepSeconds, unfinished } = stats;
  const isNothing = Object.values(totals).every((count) => count === 0) && unfinished.count === 0;
  if (isNothing) return null;
  const only = OUTCOMES.find(({ key }) => key === status)?.key;
  const named = OUTCOMES.filter(({ key }) => key === 'failed' || key === 'completed' || totals[key] > 0);
  return (
    <section
      aria-label="Runs by outcome"
      className="grid shrink-0 grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 px-6 pb-2 max-md:grid-cols-1 max-md:gap-y-2 max-md:px-4 [@media(height<480px)]:hidden"
    >
      <div className="relative">
        <ChartLegend
          form="column"
          label="Runs by outcome"
          entries={[
            ...named.map((outcome) => ({ ...outcome, count: countText(totals[outcome.key]) })),
            {
              key: UNFINISHED,
              label: 'Unfinished',
              tone: 'running',
              count: boundedText(unfinished),
            },
          ]}
          onPick={(key) => change({ status: status === key ? '' : key, open: '' })}
        />
      </div>
      <div className="flex min-w-0 items-start max-md:hidden">
        <div className="min-w-0 grow">
          <TimeChart
            label="Runs by outcome"
            height={52}
            isSlim
            isZoomable
            kind="bars"
            noun="finished runs"
            zone={zone}
            times={points.map((point) => point.at)}
            stepSeconds={stepSeconds}
            series={named
              .filter(({ key }) => only === undefined || key === only)
              .map(({ key, label, tone }) => ({ key, label, tone, values: points.map((point) => point[key]) }))}
            marks={marks.map((mark) => ({ at: mark.at, label: mark.name }))}
            onSpan={(from, to) => change({ since: from, until: to, open: '' })}
          />
        </div>
        <IconButton
          icon={Info}
          size="small"
          label={status !== undefined && only === undefined ? `${NOTE} Not filtered by status.` : NOTE}
          className="-mt-1"
        />
      </div>
    </section>
  );
}
