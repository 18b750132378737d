import { Mail, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, type MessageSummary } from '../../api/client.ts';
import { countText, sizeText } from '../../lib/format.ts';
import type { ListFilter } from '../../lib/list-filter.ts';
import { isEventType, oneOf, sinceOf, someOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { MESSAGE_STATES } from '../../lib/words.ts';
import { CopyIds } from '../../parts/copy-ids.tsx';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingKept } from '../../parts/data-list/nothing-kept.tsx';
import type { OwnView } from '../../parts/data-list/saved-views.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { type Exported, ExportButton } from '../../parts/export-button.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { namedFilter } from '../../parts/named-filter.ts';
import { Name } from '../../parts/names.tsx';
import { useChannels } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { BarTabPanel, BarTabs } from '../../ui/bar-tabs.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { LiveTail } from './live-tail.tsx';
import { MessagePanel } from './message-panel.tsx';
import { MessagesStrip } from './messages-strip.tsx';
import { PublishLink } from './publish-link.tsx';
import { ScheduledTab } from './scheduled.tsx';

const STATUSES = ['failed', 'pending', 'delivered', 'unrouted'] as const;
const SYSTEM = ['true'] as const;
/** The names of all filters, as in the address. */
const FILTERS = ['status', 'type', 'channel', 'publisher', 'system', 'since', 'until'] as const;
type Filtered = Readonly<Partial<Record<(typeof FILTERS)[number], string | undefined>>>;

const TABS = ['all', 'scheduled', 'tail'] as const;
const TAB_NAMES = { all: 'All', scheduled: 'Scheduled', tail: 'Live tail' } as const;
/** Below this width the tabs are below the bar. */
const BAR_WITH_TABS = 1_100;

const VIEWS: readonly OwnView[] = [
  { name: 'Failed', search: { status: 'failed' } },
  { name: 'No subscribers', search: { status: 'unrouted' } },
  { name: 'With system messages', search: { system: 'true' } },
];
const idOf = ({ id }: MessageSummary): string => id;

/**
 * Published messages, scheduled ones, and a live view of new ones. `ofForm`: search parameters that belong to a form
 * over the list.
 */
export function MessagesPage({ ofForm = NONE }: { ofForm?: readonly string[] }) {
  const { may } = useHere();
  const [search, change] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const isBelow = useIsNarrower(BAR_WITH_TABS);
  const tab = oneOf(search['tab'], TABS) ?? 'all';
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const exported = useExport(search);
  return (
    <BarTabs
      label="Messages"
      tabs={TABS.map((each) => ({ value: each, label: TAB_NAMES[each] }))}
      value={tab}
      // An open row belongs to the previous tab.
      onChange={(next) => change({ tab: next === 'all' ? '' : next, open: '' })}
      isBelow={isBelow}
    >
      {(tabs) => (
        <Page
          title="Messages"
          layout="full"
          count={
            <>
              {tab === 'all' && <ListCountText count={count} isFiltered={isFiltered} />}
              {!isBelow && tabs}
            </>
          }
          actions={
            <>
              {tab === 'all' && (
                <div className="max-md:hidden">
                  <ExportButton of={exported} />
                </div>
              )}
              {may('developer') && (
                <Button look="primary" icon={Plus} render={<PublishLink channel={search['channel']} />}>
                  Publish message
                </Button>
              )}
            </>
          }
        >
          {isBelow && tabs}
          <BarTabPanel value={tab}>
            {tab === 'all' && (
              <MessageList search={search} isFiltered={isFiltered} ofForm={ofForm} onCount={setCount} />
            )}
            {tab === 'scheduled' && <ScheduledTab />}
            {tab === 'tail' && <LiveTail />}
          </BarTabPanel>
        </Page>
      )}
    </BarTabs>
  );
}

const NONE: readonly string[] = [];

/** Returns the API filter for the address, resolved at the time of the call. */
const queryOf = ({ since, until, ...filters }: Filtered) => {
  const query = {
    deliveryStatus: someOf(filters.status, STATUSES),
    eventType: filters.type,
    channelId: filters.channel,
    publisherId: filters.publisher,
    includeSystem: oneOf(filters.system, SYSTEM),
  };
  return { query, queryNow: () => ({ ...query, since: sinceOf(since), until: sinceOf(until) }) };
};

function useExport(filters: Filtered): Exported {
  const { at } = useHere();
  const { queryNow } = queryOf(filters);
  return {
    name: 'messages',
    path: '/v1/messages',
    query: queryNow,
    take: (format) => api.messages.export({ ...queryNow(), format }, at),
  };
}

function useMessageFilters(): readonly ListFilter[] {
  const channels = useChannels();
  const times = useTimeFilters();
  const states = STATUSES.map((status) => [status, MESSAGE_STATES[status].word] as const);
  return [
    { name: 'status', label: 'Status', options: states, several: states, failure: 'failed' },
    { name: 'type', label: 'Event type', accepts: isEventType },
    namedFilter('channel', 'Channel', channels),
    { name: 'publisher', label: 'External ID' },
    { name: 'system', label: 'System messages', options: [['true', 'Included']] },
    ...times,
  ];
}

const COLUMNS: readonly Column<MessageSummary>[] = [
  { key: 'status', head: 'Status', width: 116, grow: 0, cell: (row) => <MessageStatus of={row} /> },
  {
    key: 'type',
    head: 'Event type',
    width: 160,
    cell: (row) => (
      <HereLink to={`/messages/${row.id}`} isRow className="mono">
        {row.eventType}
      </HereLink>
    ),
  },
  { key: 'channel', head: 'Channel', width: 120, rank: 1, cell: (row) => <Name kind="channel" id={row.channelId} /> },
  {
    key: 'delivered',
    head: 'Delivered',
    width: 72,
    grow: 0,
    isNumber: true,
    rank: 2,
    cell: (row) => <DeliveredOf of={row} />,
  },
  {
    key: 'size',
    head: 'Size',
    width: 64,
    grow: 0,
    isNumber: true,
    rank: 4,
    cell: (row) =>
      row.payloadBytes === undefined ? <span className="text-text-3">Erased</span> : sizeText(row.payloadBytes),
  },
  { key: 'id', head: 'ID', width: 72, grow: 0, rank: 5, cell: (row) => <CopyId id={row.id} /> },
  {
    key: 'published',
    head: 'Published',
    headEnd: ' ↓',
    width: 92,
    grow: 0,
    isNumber: true,
    rank: 3,
    cell: (row) => <Ago at={row.publishedAt} />,
  },
];

function MessageStatus({ of: { deliveryStatus } }: { of: MessageSummary }) {
  const { tone, word } = MESSAGE_STATES[deliveryStatus];
  return <Status tone={tone}>{word}</Status>;
}

const DeliveredOf = ({ of: { deliveries } }: { of: MessageSummary }) =>
  deliveries.total === 0 ? (
    <span className="text-text-3">—</span>
  ) : (
    `${countText(deliveries.delivered)} of ${countText(deliveries.total)}`
  );

/**
 * All messages of the environment, newest first, across all channels. Those on the system channel are left out unless
 * the user asks for them.
 */
function MessageList({
  search,
  isFiltered,
  ofForm,
  onCount,
}: {
  search: Filtered;
  isFiltered: boolean;
  ofForm: readonly string[];
  onCount: (count: ListCount) => void;
}) {
  const { at, path, may } = useHere();
  const go = useGo();
  const { since, until } = search;
  const { query, queryNow } = queryOf(search);
  const filters = useMessageFilters();
  const choice = useColumnChoice('messages-2', COLUMNS);
  return (
    <DataList
      name="Messages"
      kinds={['message', 'delivery']}
      listKey={[path, 'messages', query, since, until]}
      fetch={(cursor) => api.messages.listAll({ ...queryNow(), limit: 100, cursor }, at).page()}
      idOf={idOf}
      columns={choice.shown}
      narrow={(row) => {
        const { tone, word } = MESSAGE_STATES[row.deliveryStatus];
        return {
          mark: <StatusIcon tone={tone} label={word} />,
          what: <span className="mono">{row.eventType}</span>,
          when: <Ago at={row.publishedAt} />,
          where: <Name kind="channel" id={row.channelId} />,
          result: <DeliveredOf of={row} />,
        };
      }}
      above={
        <>
          <FilterLine
            filters={filters}
            hasTime
            hasPayloads
            columns={{ all: COLUMNS, choice: choice as ReturnType<typeof useColumnChoice> }}
            views={{ page: 'messages', own: VIEWS }}
            ofTabs={ofForm}
          />
          {search.publisher !== undefined && (
            <p className="-mt-1.5 px-6 pb-2 text-12 text-text-2 max-md:px-4">
              External IDs are searchable for 24 hours after publishing
            </p>
          )}
          <MessagesStrip filters={filters} />
        </>
      }
      onCount={onCount}
      empty={
        isFiltered ? (
          <NothingKept
            title="No messages match"
            filters={FILTERS}
            channel={search.channel}
            since={since}
            until={until}
          />
        ) : (
          <Empty
            icon={Mail}
            title="No messages yet"
            actions={
              may('developer') && (
                <Button look="primary" icon={Plus} render={<PublishLink />}>
                  Publish message
                </Button>
              )
            }
          >
            <p>Publish one from your app with the API, or from here.</p>
            <FirstRequest of="message" />
          </Empty>
        )
      }
      hints={[
        ['J K', 'move'],
        ['↵', 'open'],
        ['X', 'select'],
      ]}
      acts={(rows) => <CopyIds rows={rows} />}
      panelTitle="Message"
      panel={(id) => <MessagePanel key={id} id={id} />}
      onVisit={(id) => go(`/messages/${id}`)}
    />
  );
}
