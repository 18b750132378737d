import { Download, History } from 'lucide-react';
import { useState } from 'react';
import type { ListFilter } from '../../lib/list-filter.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import type { OwnView } from '../../parts/data-list/saved-views.tsx';
import { Doer } from '../../parts/doer.tsx';
import { ExportDialog, type Exported } from '../../parts/export-button.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { namedFilter } from '../../parts/named-filter.ts';
import { useSubscriptions } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import {
  type AnyReplay,
  KIND_NAMES,
  REPLAY_LISTS,
  queuedText,
  type AnyReplayKind,
  type AnyReplayStatus,
  stateName,
  stateOf,
  STATUSES,
} from './any-replay.ts';
import { FilterWords } from './filter-words.tsx';
import { NewReplay } from './new-replay.tsx';
import { ReplayPanel } from './replay-panel.tsx';
import { outcomeText, ReplayBar, usePaceText } from './replay-progress.tsx';
import { ReplayTitle } from './replay-title.tsx';
import { useReplays } from './use-replays.ts';

const FILTERS = ['kind', 'status', 'subscription'] as const;
const VIEWS: readonly OwnView[] = [
  { name: 'In progress', search: { status: 'running' } },
  { name: 'Of dead letters', search: { kind: 'dead-letters' } },
  { name: 'Of deliveries', search: { kind: 'deliveries' } },
  { name: 'Of messages', search: { kind: 'messages' } },
];
const idOf = ({ id }: AnyReplay): string => id;

/** Everything that was sent again in bulk: dead letters, deliveries and messages, newest first. */
export function ReplaysPage() {
  const { path, may } = useHere();
  const go = useGo();
  const [isNew, setIsNew] = useState(false);
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const filters: readonly ListFilter[] = [
    { name: 'kind', label: 'Kind', options: REPLAY_LISTS.map((kind) => [kind, KIND_NAMES[kind]]) },
    {
      name: 'status',
      label: 'Status',
      options: STATUSES.map((status) => [status, stateName(status)]),
      failure: 'failed',
    },
    namedFilter('subscription', 'Subscription', useSubscriptions()),
  ];
  const kind = oneOf(search['kind'], REPLAY_LISTS);
  const status = oneOf(search['status'], STATUSES);
  const subscriptionId = search['subscription'];
  const fetch = useReplays({ kind, status, subscriptionId });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const all = useColumns();
  const choice = useColumnChoice('replays-2', all);
  return (
    <Page
      title="Replays"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          <ExportMenu status={status} subscriptionId={subscriptionId} />
          {may('developer') && (
            <Button look="primary" icon={History} onClick={() => setIsNew(true)}>
              Replay messages
            </Button>
          )}
        </>
      }
    >
      <DataList
        name="Replays"
        listKey={[path, 'replays', kind, status, subscriptionId]}
        fetch={fetch}
        idOf={idOf}
        // Ids of different kinds cannot be compared for their order.
        isByOtherOrder
        columns={choice.shown}
        narrow={(row) => {
          const { tone, word } = stateOf(row);
          return {
            mark: <StatusIcon tone={tone} label={word} />,
            what: (
              <span>
                <ReplayTitle of={row} arrow={12} />
              </span>
            ),
            when: <Ago at={row.createdAt} />,
            where: queuedText(row),
            result: row.outcome.failed > 0 && (
              <span className="text-failed">{outcomeText(row, 'failed')} failed again</span>
            ),
          };
        }}
        above={
          <FilterLine
            filters={filters}
            views={{ page: 'replays', own: VIEWS }}
            columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
          />
        }
        onCount={setCount}
        empty={
          isFiltered ? (
            <NothingMatches title="No replays match" filters={FILTERS} />
          ) : (
            <Empty
              icon={History}
              title="No replays yet"
              actions={
                <Button render={<HereLink to="/dead-letters">View dead letters</HereLink>}>View dead letters</Button>
              }
            >
              <p>Replays send many messages or dead letters again. Dead letters are replayed on their own page.</p>
            </Empty>
          )
        }
        panelTitle="Replay"
        panel={(id) => <ReplayPanel key={id} id={id} />}
        onVisit={(id) => go(`/replays/${id}`)}
      />
      {isNew && <NewReplay onClose={() => setIsNew(false)} />}
    </Page>
  );
}

function useColumns(): readonly Column<AnyReplay>[] {
  return [
    {
      key: 'status',
      head: 'Status',
      width: 158,
      grow: 0,
      cell: (row) => {
        const { tone, word } = stateOf(row);
        return <Status tone={tone}>{word}</Status>;
      },
    },
    {
      key: 'what',
      head: 'Replay',
      width: 200,
      grow: 2,
      cell: (row) => (
        <>
          <HereLink to={`/replays/${row.id}`} isRow>
            <ReplayTitle of={row} arrow={12} />
          </HereLink>{' '}
          <span className="ml-1 text-text-2">
            <FilterWords of={row} />
          </span>
        </>
      ),
    },
    { key: 'progress', head: 'Progress', width: 170, rank: 1, cell: (row) => <Progress of={row} /> },
    {
      key: 'delivered',
      head: 'Delivered',
      width: 62,
      grow: 0,
      isNumber: true,
      rank: 4,
      cell: (row) => outcomeText(row, 'succeeded'),
    },
    {
      key: 'running',
      head: 'In progress',
      width: 70,
      grow: 0,
      isNumber: true,
      rank: 5,
      cell: (row) => outcomeText(row, 'underWay'),
    },
    {
      key: 'failed',
      head: 'Failed again',
      width: 76,
      grow: 0,
      isNumber: true,
      rank: 2,
      cell: (row) => outcomeText(row, 'failed'),
    },
    { key: 'by', head: 'Started by', width: 110, rank: 3, cell: (row) => <Doer id={row.requestedBy} /> },
    { key: 'id', head: 'ID', width: 72, grow: 0, isOff: true, rank: 6, cell: (row) => <CopyId id={row.id} /> },
    {
      key: 'created',
      head: 'Started',
      headEnd: ' ↓',
      width: 92,
      grow: 0,
      isNumber: true,
      rank: 1,
      cell: (row) => <Ago at={row.createdAt} />,
    },
  ];
}

/** The progress of a row: its bar and, while it is running, its rate and the time left. */
function Progress({ of }: { of: AnyReplay }) {
  const pace = usePaceText(of);
  return (
    <span className="flex items-center gap-2.5">
      <span className="w-12 shrink-0">
        <ReplayBar of={of} isThin />
      </span>
      <span className="truncate text-text-2">{pace ?? queuedText(of)}</span>
    </span>
  );
}

/** The API has a list for each kind, so each is exported to its own file. */
function ExportMenu({
  status,
  subscriptionId,
}: {
  status: AnyReplayStatus | undefined;
  subscriptionId: string | undefined;
}) {
  const { at } = useHere();
  const [kind, setKind] = useState<AnyReplayKind>();
  const lists: Readonly<Record<AnyReplayKind, Exported>> = {
    'dead-letters': { name: 'replays-of-dead-letters', path: '/v1/dlq/replay', query: () => ({ status }), at },
    deliveries: { name: 'retries-of-deliveries', path: '/v1/deliveries/retry', query: () => ({ status }), at },
    messages: { name: 'replays-of-messages', path: '/v1/replays', query: () => ({ status, subscriptionId }), at },
  };
  return (
    <>
      <Menu
        trigger={
          <Button icon={Download} className="max-md:hidden">
            Export
          </Button>
        }
        groups={[
          {
            title: 'Replays of',
            items: REPLAY_LISTS.map((each) => ({ label: KIND_NAMES[each], onSelect: () => setKind(each) })),
          },
        ]}
      />
      {kind !== undefined && <ExportDialog of={lists[kind]} onClose={() => setKind(undefined)} />}
    </>
  );
}
