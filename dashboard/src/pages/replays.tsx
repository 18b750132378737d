import { api, type BulkReplay } from '../api/client.ts';
import { failedRunsOf, isOfRuns } from '../lib/replay-failures.ts';
import { paceOfBulk } from '../lib/replay-pace.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from '../parts/doer.tsx';
import { BulkFacts, useBulk } from '../parts/bulk-facts.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { ReplayWords, useProgressColumn, useWordsColumn } from '../parts/replay-columns.tsx';
import { ReplayState, useOutcomeColumns } from '../parts/replay-outcome.tsx';
import { ReplayProgress } from '../parts/replay-progress.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import { MESSAGE_REPLAY_FILTERS, replayStateFilter, replayStateOf } from '../parts/replay-state-filter.ts';
import { TabPanel, Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Views } from '../parts/views.tsx';
import { DeliveryRetryList } from './delivery-retries.tsx';
import { MessageReplayList } from './message-replays.tsx';
import { RepeatFailedRuns, RepeatFailures } from './repeat-failures.tsx';

const idOf = ({ id }: BulkReplay): string => id;

const TABS = ['letters', 'deliveries', 'messages'] as const;

export function ReplaysPage() {
  const t = useTexts();
  const tab = useTab(TABS);
  return (
    <>
      <Heading title={t.nav.names.replays} />
      <Tabs tabs={TABS} names={t.replays.tabs} current={tab} />
      <TabPanel tab={tab}>
        {tab === 'letters' ? <BulkReplayList /> : tab === 'deliveries' ? <DeliveryRetryList /> : <MessageReplayList />}
      </TabPanel>
    </>
  );
}

/** Replays of many dead letters, and how far they are. */
function BulkReplayList() {
  const t = useTexts();
  const { at, path } = useHere();
  const go = useGo();
  const [search] = useAddress();
  const filters = [replayStateFilter(t)];
  const status = replayStateOf(search['status']);
  const columns: readonly Column<BulkReplay>[] = [
    { head: t.fields.status, width: '148px', cell: (row) => <ReplayState of={row} asked={row.replayed} /> },
    { head: t.fields.made, width: '168px', cell: (row) => <Time at={row.createdAt} /> },
    useWordsColumn((row) => <ReplayWords of={row.filter} askedAt={row.createdAt} all={t.replays.allLetters} />),
    { head: t.audit.actor, width: 'minmax(90px, 0.6fr)', cell: (row) => <Doer id={row.requestedBy} /> },
    useProgressColumn(t.replays.replayed, (row) => ({
      pace: paceOfBulk(row, row.replayed),
      text: t.replays.of(row.replayed, row.matched),
    })),
    ...useOutcomeColumns<BulkReplay>(),
  ];
  return (
    <>
      <Views page="replays" filters={['status']} own={[]} />
      <Filters filters={filters} ofTabs={MESSAGE_REPLAY_FILTERS} />
      <LiveList
        name={t.nav.names.replays}
        listKey={[path, 'replays', status]}
        fetch={(cursor) => api.deadLetters.listBulkReplays({ status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'replays-of-dead-letters', path: '/v1/dlq/replay', query: () => ({ status }), at }}
        columns={columns}
        leastWidth={1_140}
        empty={
          status === undefined ? (
            <Empty title={t.replays.none}>
              <p>{t.replays.noneWhy}</p>
              <HereLink to="/dead-letters">{t.nav.names['dead-letters']}</HereLink>
            </Empty>
          ) : (
            <NoneMatch filters={['status']} />
          )
        }
        panel={(id) => <LetterReplayView id={id} isInPanel />}
        onVisit={(id) => go(`/replays/${id}`)}
      />
    </>
  );
}

/** A replay of many dead letters: how far it is, what it takes, and what it has left. */
export function LetterReplayView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useBulk([path, 'replay', id], () => api.deadLetters.getBulkReplay(id, at));
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const pace = paceOfBulk(row, row.replayed);
  const failedRuns = failedRunsOf(row);
  return (
    <>
      <ReplayProgress
        of={row}
        text={t.replays.progress(pace.done, row.matched)}
        pace={pace}
        cancel={() => api.deadLetters.cancelBulkReplay(id, at)}
        isOfRuns={isOfRuns(row)}
        isInPanel={isInPanel}
      />
      <BulkFacts of={row} failed={t.replays.failed} failedWhy={t.replays.failedWhy}>
        <ReplayFilter of={row.filter} />
      </BulkFacts>
      {row.replayed > 0 && (
        <div className="buttons">
          <HereLink to="/dead-letters" search={{ status: 'replayed' }} className="button">
            {t.replays.seeReplayed}
          </HereLink>
          {!isOfRuns(row) && <RepeatFailures of={row} />}
          {failedRuns !== undefined && <RepeatFailedRuns of={row} filter={failedRuns} />}
        </div>
      )}
    </>
  );
}
