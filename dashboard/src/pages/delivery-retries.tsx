import { api, type BulkRetry } from '../api/client.ts';
import { paceOfBulk } from '../lib/replay-pace.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from '../parts/doer.tsx';
import { BulkFacts, useBulk } from '../parts/bulk-facts.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { ReplayWords, useProgressColumn, useWordsColumn } from '../parts/replay-columns.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { ReplayState, useOutcomeColumns } from '../parts/replay-outcome.tsx';
import { ReplayProgress } from '../parts/replay-progress.tsx';
import { MESSAGE_REPLAY_FILTERS, replayStateFilter, replayStateOf } from '../parts/replay-state-filter.ts';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Views } from '../parts/views.tsx';
import { RepeatFailures } from './repeat-failures.tsx';

const idOf = ({ id }: BulkRetry): string => id;
const isMore = ({ isComplete, status }: BulkRetry): boolean => !isComplete && status !== 'completed';

/** Retries of many deliveries, and how far they are. */
export function DeliveryRetryList() {
  const t = useTexts();
  const { at, path } = useHere();
  const go = useGo();
  const [search] = useAddress();
  const filters = [replayStateFilter(t)];
  const status = replayStateOf(search['status']);
  const columns: readonly Column<BulkRetry>[] = [
    { head: t.fields.status, width: '148px', cell: (row) => <ReplayState of={row} asked={row.retried} /> },
    { head: t.fields.made, width: '168px', cell: (row) => <Time at={row.createdAt} /> },
    useWordsColumn((row) => (
      <ReplayWords
        of={row.filter}
        askedAt={row.createdAt}
        words={t.replays.retryFilter}
        all={t.replays.allDeliveries}
      />
    )),
    { head: t.audit.actor, width: 'minmax(90px, 0.6fr)', cell: (row) => <Doer id={row.requestedBy} /> },
    useProgressColumn(t.replays.retried, (row) => ({
      pace: paceOfBulk(row, row.retried),
      text: t.replays.of(row.retried, row.matched, isMore(row)),
    })),
    ...useOutcomeColumns<BulkRetry>(),
  ];
  return (
    <>
      <Views page="delivery-retries" filters={['status']} own={[]} />
      <Filters filters={filters} ofTabs={MESSAGE_REPLAY_FILTERS} />
      <LiveList
        name={t.replays.tabs.deliveries}
        listKey={[path, 'delivery-retries', status]}
        fetch={(cursor) => api.deliveries.listBulkRetries({ status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'retries-of-deliveries', path: '/v1/deliveries/retry', query: () => ({ status }), at }}
        columns={columns}
        leastWidth={1_140}
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
        panel={(id) => <DeliveryRetryView id={id} isInPanel />}
        onVisit={(id) => go(`/replays/${id}`)}
      />
    </>
  );
}

/** A retry of many deliveries: how far it is, what it takes, and what it has left. */
export function DeliveryRetryView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useBulk([path, 'delivery-retry', id], () => api.deliveries.getBulkRetry(id, at));
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const pace = paceOfBulk(row, row.retried);
  return (
    <>
      <ReplayProgress
        of={row}
        text={t.replays.retryProgress(pace.done, row.matched, isMore(row))}
        pace={pace}
        cancel={() => api.deliveries.cancelBulkRetry(id, at)}
        isInPanel={isInPanel}
      />
      <BulkFacts of={row} failed={t.replays.notRetried} failedWhy={t.replays.notRetriedWhy}>
        <ReplayFilter of={row.filter} words={t.replays.retryFilter} />
      </BulkFacts>
      <div className="buttons">
        <RepeatFailures of={row} />
      </div>
    </>
  );
}
