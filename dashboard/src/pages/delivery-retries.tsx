import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, type BulkRetry } from '../api/client.ts';
import { countText } from '../lib/bounded-count.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from '../parts/doer.tsx';
import { Empty } from '../parts/empty.tsx';
import { HereLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import { isReplayOver, ReplayProgress } from '../parts/replay-progress.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';

const idOf = ({ id }: BulkRetry): string => id;
const isMore = ({ isComplete, status }: BulkRetry): boolean => !isComplete && status !== 'completed';

/** Retries of many deliveries, and how far they are. */
export function DeliveryRetryList() {
  const t = useTexts();
  const { at, path } = useHere();
  const columns: readonly Column<BulkRetry>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.status} /> },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
    {
      head: t.fields.id,
      width: 'minmax(160px, 1fr)',
      cell: (row) => (
        <HereLink to="/replays" search={{ tab: 'deliveries', open: row.id }} className="mono">
          {row.id}
        </HereLink>
      ),
    },
    { head: t.audit.actor, width: 'minmax(120px, 0.6fr)', cell: (row) => <Doer id={row.requestedBy} /> },
    {
      head: t.replays.matched,
      width: '96px',
      isNumber: true,
      cell: (row) => countText({ count: row.matched, isMore: isMore(row) }),
    },
    { head: t.replays.retried, width: '96px', isNumber: true, cell: (row) => row.retried },
    { head: t.replays.notRetried, width: '112px', isNumber: true, cell: (row) => row.failed },
  ];
  return (
    <LiveList
      name={t.replays.tabs.deliveries}
      listKey={[path, 'delivery-retries']}
      fetch={(cursor) => api.deliveries.listBulkRetries({ limit: 100, cursor }, at).page()}
      idOf={idOf}
      columns={columns}
      leastWidth={920}
      empty={
        <Empty title={t.replays.noRetry}>
          <p>{t.replays.noRetryWhy}</p>
          <HereLink to="/deliveries">{t.nav.names.deliveries}</HereLink>
        </Empty>
      }
      panel={(id) => <RetryView id={id} />}
    />
  );
}

function RetryView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'delivery-retry', id],
    queryFn: () => api.deliveries.getBulkRetry(id, at),
    refetchInterval: ({ state }) => (state.data !== undefined && isReplayOver(state.data) ? false : 1_000),
  });
  const refresh = useRefresh();
  const hasEnded = found.data !== undefined && isReplayOver(found.data);
  // The list asks more seldom: beside a retry that has ended it would still show it under way.
  useEffect(() => {
    if (hasEnded) void refresh();
  }, [hasEnded, refresh]);
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const done = row.retried + row.failed;
  return (
    <>
      <ReplayProgress
        of={row}
        text={t.replays.retryProgress(done, row.matched, isMore(row))}
        done={done}
        whole={row.matched}
        pace={{ replayed: row.retried, most: row.ratePerSecond, left: Math.max(0, row.matched - done) }}
        cancel={() => api.deliveries.cancelBulkRetry(id, at)}
      />
      <dl className="facts">
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
        {row.finishedAt !== undefined && (
          <>
            <dt>{t.fields.ended}</dt>
            <dd>
              <Time at={row.finishedAt} />
            </dd>
          </>
        )}
        <dt>{t.audit.actor}</dt>
        <dd>
          <Doer id={row.requestedBy} />
        </dd>
        {row.ratePerSecond !== undefined && (
          <>
            <dt>{t.replays.rate}</dt>
            <dd>{row.ratePerSecond}</dd>
          </>
        )}
        <dt>{t.replays.notRetried}</dt>
        <dd>
          {row.failed} {row.failed > 0 && <span className="muted">{t.replays.notRetriedWhy}</span>}
        </dd>
        <ReplayFilter of={row.filter} words={t.replays.retryFilter} />
      </dl>
    </>
  );
}
