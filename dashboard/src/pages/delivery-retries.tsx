import { api, type BulkRetry } from '../api/client.ts';
import { countText } from '../lib/bounded-count.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from '../parts/doer.tsx';
import { BulkFacts, useBulk } from '../parts/bulk-facts.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { HereLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { ReplayState, useOutcomeColumns } from '../parts/replay-outcome.tsx';
import { ReplayProgress } from '../parts/replay-progress.tsx';
import { MESSAGE_REPLAY_FILTERS, replayStateFilter, replayStateOf } from '../parts/replay-state-filter.ts';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';

const idOf = ({ id }: BulkRetry): string => id;
const isMore = ({ isComplete, status }: BulkRetry): boolean => !isComplete && status !== 'completed';

/** Retries of many deliveries, and how far they are. */
export function DeliveryRetryList() {
  const t = useTexts();
  const { at, path } = useHere();
  const [search] = useAddress();
  const filters = [replayStateFilter(t)];
  const status = replayStateOf(search['status']);
  const columns: readonly Column<BulkRetry>[] = [
    { head: t.fields.status, width: '148px', cell: (row) => <ReplayState of={row} asked={row.retried} /> },
    { head: t.fields.made, width: '168px', cell: (row) => <Time at={row.createdAt} /> },
    {
      head: t.fields.id,
      width: 'minmax(140px, 1fr)',
      cell: (row) => (
        <HereLink to="/replays" search={{ ...search, open: row.id }} className="mono">
          {row.id}
        </HereLink>
      ),
    },
    { head: t.audit.actor, width: 'minmax(110px, 0.6fr)', cell: (row) => <Doer id={row.requestedBy} /> },
    {
      head: t.replays.matched,
      width: '96px',
      isNumber: true,
      cell: (row) => countText({ count: row.matched, isMore: isMore(row) }),
    },
    { head: t.replays.retried, width: '96px', isNumber: true, cell: (row) => row.retried },
    ...useOutcomeColumns<BulkRetry>(),
  ];
  return (
    <>
      <Filters filters={filters} ofTabs={MESSAGE_REPLAY_FILTERS} />
      <LiveList
        name={t.replays.tabs.deliveries}
        listKey={[path, 'delivery-retries', status]}
        fetch={(cursor) => api.deliveries.listBulkRetries({ status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'retries-of-deliveries', path: '/v1/deliveries/retry', query: () => ({ status }), at }}
        columns={columns}
        leastWidth={1_100}
        empty={
          status === undefined ? (
            <Empty title={t.replays.noRetry}>
              <p>{t.replays.noRetryWhy}</p>
              <HereLink to="/deliveries">{t.nav.names.deliveries}</HereLink>
            </Empty>
          ) : (
            <NoneMatch filters={['status']} />
          )
        }
        panel={(id) => <RetryView id={id} />}
      />
    </>
  );
}

function RetryView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useBulk([path, 'delivery-retry', id], () => api.deliveries.getBulkRetry(id, at));
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
      <BulkFacts of={row} failed={t.replays.notRetried} failedWhy={t.replays.notRetriedWhy}>
        <ReplayFilter of={row.filter} words={t.replays.retryFilter} />
      </BulkFacts>
    </>
  );
}
