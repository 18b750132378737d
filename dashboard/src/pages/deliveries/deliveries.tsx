import { Mail, RotateCw, Send } from 'lucide-react';
import { useState } from 'react';
import { api, type CreateBulkRetry, type Delivery } from '../../api/client.ts';
import { askedAnswer, statusesOf } from '../../lib/answers.ts';
import { durationText } from '../../lib/format.ts';
import type { ListFilter } from '../../lib/list-filter.ts';
import { isEventType, isIdOf, oneOf, sinceOf, someOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { DELIVERY_STATES, ERROR_KINDS, ERRORS, stateOfDelivery } from '../../lib/words.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingKept } from '../../parts/data-list/nothing-kept.tsx';
import type { OwnView } from '../../parts/data-list/saved-views.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { CopyIds } from '../../parts/copy-ids.tsx';
import { useEachRow } from '../../parts/each-row.tsx';
import { type Exported, ExportButton } from '../../parts/export-button.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { namedFilter } from '../../parts/named-filter.ts';
import { SubscriptionName, useKnownNames } from '../../parts/names.tsx';
import { useChannels, useSubscriptions } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId, shortId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { DeliveriesStrip } from './deliveries-strip.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { isWaiting, LastResponse } from './delivery-state.tsx';
import { RetryAllDialog } from './retry-all.tsx';

const STATUSES = ['pending', 'retrying', 'failed', 'delivered'] as const;
const SLOW = ['1000', '5000', '15000'] as const;
const HELD = ['true', 'false'] as const;
/** The names of all filters, as in the address. */
const FILTERS = [
  'status',
  'type',
  'subscription',
  'channel',
  'message',
  'replay',
  'error',
  'answer',
  'slow',
  'held',
  'since',
  'until',
] as const;
type Filtered = Readonly<Partial<Record<(typeof FILTERS)[number], string | undefined>>>;

const VIEWS: readonly OwnView[] = [
  { name: 'Failing now', search: { status: 'failed,retrying' } },
  { name: 'Pending', search: { status: 'pending' } },
  { name: 'Slow (> 5 s)', search: { slow: '5000' } },
  { name: 'On hold', search: { held: 'true' } },
];
const idOf = ({ id }: Delivery): string => id;

/** All deliveries of the environment, newest first. */
export function DeliveriesPage() {
  const { may } = useHere();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const [retried, setRetried] = useState<CreateBulkRetry>();
  const channels = useChannels();
  const subscriptions = useSubscriptions();
  const filters = useDeliveryFilters([
    namedFilter('subscription', 'Subscription', subscriptions),
    namedFilter('channel', 'Channel', channels),
  ]);
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <Page
      title="Deliveries"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          <ExportButton of={useExport(search)} />
          {may('developer') && isFiltered && (
            <Button icon={RotateCw} onClick={() => setRetried(retriedOf(search))} className="max-md:hidden">
              Retry all…
            </Button>
          )}
        </>
      }
    >
      <DeliveryList filters={filters} search={search} isFiltered={isFiltered} onCount={setCount} hasViews />
      {retried !== undefined && <RetryAllDialog filter={retried} onClose={() => setRetried(undefined)} />}
    </Page>
  );
}

/** The deliveries of one subscription, as a tab of its page. */
export function SubscriptionDeliveries({
  id,
  channelId,
  ofTabs,
}: {
  id: string;
  channelId: string;
  ofTabs?: readonly string[];
}) {
  const [search] = useAddress();
  const filters = useDeliveryFilters([]);
  return (
    <DeliveryList
      filters={filters}
      search={{ ...search, channel: undefined, subscription: id }}
      isFiltered={filters.some(({ name }) => search[name] !== undefined)}
      ofId={id}
      channelId={channelId}
      {...(ofTabs !== undefined && { ofTabs })}
    />
  );
}

/** The filters of every list of deliveries; `named` are those by channel and subscription. */
function useDeliveryFilters(named: readonly ListFilter[]): readonly ListFilter[] {
  const times = useTimeFilters();
  const states = STATUSES.map((status) => [status, DELIVERY_STATES[status].word] as const);
  return [
    { name: 'status', label: 'Status', options: states, several: states, failure: 'failed,retrying' },
    { name: 'type', label: 'Event type', accepts: isEventType },
    ...named,
    {
      name: 'answer',
      label: 'Status code',
      accepts: (text) => statusesOf(text) !== undefined,
      // No response at all is an error without a status.
      instead: (text) => {
        const value = oneOf(text, ERROR_KINDS);
        return value && { name: 'error', value };
      },
      examples: ['5xx', '4xx', '500-503', 'timeout'],
    },
    { name: 'error', label: 'Error', options: ERROR_KINDS.map((each) => [each, ERRORS[each]]) },
    { name: 'slow', label: 'Latency', options: SLOW.map((ms) => [ms, `≥ ${durationText(Number(ms))}`]) },
    { name: 'held', label: 'On hold', options: HELD.map((each) => [each, each === 'true' ? 'Yes' : 'No']) },
    { name: 'message', label: 'Message', isChip: true, accepts: isIdOf('msg') },
    { name: 'replay', label: 'Replay', isChip: true, accepts: isIdOf('(?:rpl|rty|rpm)') },
    ...times,
  ];
}

/** Returns the API filter for the address, resolved at the time of the call. */
const queryOf = ({ since, until, ...filters }: Filtered) => {
  const slow = oneOf(filters.slow, SLOW);
  const query = {
    status: someOf(filters.status, STATUSES),
    eventType: filters.type,
    subscriptionId: filters.subscription,
    channelId: filters.channel,
    messageId: filters.message,
    replayId: filters.replay,
    errorClass: oneOf(filters.error, ERROR_KINDS),
    errorStatus: statusesOf(filters.answer),
    minLatencyMs: slow === undefined ? undefined : Number(slow),
    held: oneOf(filters.held, HELD),
  };
  return { query, queryNow: () => ({ ...query, since: sinceOf(since), until: sinceOf(until) }) };
};

/** Returns the same as the filter of a bulk retry. */
function retriedOf(filters: Filtered): CreateBulkRetry {
  const { held, ...query } = queryOf(filters).queryNow();
  return { ...query, errorStatus: askedAnswer(filters.answer), held: held === undefined ? undefined : held === 'true' };
}

function useExport(filters: Filtered): Exported {
  const { at } = useHere();
  const { queryNow } = queryOf(filters);
  return {
    name: 'deliveries',
    path: '/v1/deliveries',
    query: queryNow,
    take: (format) => api.deliveries.export({ ...queryNow(), format }, at),
  };
}

function useColumns(isOfSubscription: boolean): readonly Column<Delivery>[] {
  return [
    { key: 'status', head: 'Status', width: 90, grow: 0, cell: (row) => <DeliveryStatus of={row} /> },
    {
      key: 'type',
      head: 'Event type',
      width: 150,
      cell: (row) => (
        <HereLink to={`/deliveries/${row.id}`} isRow className="mono">
          {row.eventType}
        </HereLink>
      ),
    },
    ...(isOfSubscription
      ? []
      : [
          {
            key: 'subscription',
            head: 'Subscription',
            width: 150,
            grow: 2,
            cell: (row: Delivery) => <SubscriptionName id={row.subscriptionId} hasHost />,
          },
        ]),
    { key: 'attempts', head: 'Attempts', width: 62, grow: 0, rank: 3, isNumber: true, cell: (row) => row.attempts },
    { key: 'response', head: 'Response', width: 150, rank: 1, cell: (row) => <LastResponse of={row} /> },
    {
      key: 'next',
      head: 'Next attempt',
      width: 88,
      grow: 0,
      rank: 4,
      cell: (row) =>
        row.nextRetryAt === undefined ? <span className="text-text-3">—</span> : <In at={row.nextRetryAt} />,
    },
    { key: 'id', head: 'ID', width: 72, grow: 0, rank: 5, cell: (row) => <CopyId id={row.id} /> },
    {
      key: 'message',
      head: 'Message',
      width: 80,
      grow: 0,
      rank: 6,
      isOff: true,
      cell: (row) => (
        <HereLink to={`/messages/${row.messageId}`} className="mono text-text-2">
          {shortId(row.messageId)}
        </HereLink>
      ),
    },
    {
      key: 'created',
      head: 'Created',
      headEnd: ' ↓',
      width: 92,
      grow: 0,
      isNumber: true,
      rank: 2,
      cell: (row) => <Ago at={row.createdAt} />,
    },
  ];
}

function DeliveryStatus({ of }: { of: Delivery }) {
  const { tone, word } = stateOfDelivery(of);
  return <Status tone={tone}>{word}</Status>;
}

type ListGiven = {
  filters: readonly ListFilter[];
  search: Filtered;
  isFiltered: boolean;
  /** The subscription whose page shows them. */
  ofId?: string;
  /** Channel of all deliveries in the list. */
  channelId?: string;
  ofTabs?: readonly string[];
  hasViews?: boolean;
  onCount?: (count: ListCount) => void;
};

/** The deliveries that a filter matches. */
function DeliveryList({ filters, search, isFiltered, ofId, channelId, ofTabs, hasViews = false, onCount }: ListGiven) {
  const { at, path, may, app } = useHere();
  const go = useGo();
  const { since, until } = search;
  const { query, queryNow } = queryOf(search);
  const [retried, setRetried] = useState<CreateBulkRetry>();
  const nameOf = useKnownNames();
  const all = useColumns(ofId !== undefined);
  const choice = useColumnChoice('deliveries-2', all);
  const retry = useEachRow({
    what: ({ id }: Delivery) => api.deliveries.retry(id, at),
    told: (rows) => (rows.length === 1 ? 'Retry queued' : `${rows.length} retries queued`),
    question: (rows) => {
      const delivered = rows.filter(({ status }) => status === 'delivered');
      const [first] = delivered;
      if (first === undefined) return undefined;
      const isOne = rows.length === 1;
      return {
        title: isOne ? 'Deliver again?' : `Retry ${rows.length} deliveries?`,
        why: isOne
          ? 'The endpoint already received this message and will receive it again with the same ID.'
          : `${delivered.length} of these were already delivered. Endpoints will receive them again with the same ID.`,
        go: isOne ? 'Deliver again' : `Retry ${rows.length}`,
        // Many things have no name, so the name of the app is typed instead.
        typed: isOne ? nameOf({ kind: 'subscription', id: first.subscriptionId }) : app.name,
      };
    },
  });
  return (
    <>
      <DataList
        name="Deliveries"
        kinds={['delivery']}
        listKey={[path, 'deliveries', query, since, until]}
        ofId={ofId}
        // Response bodies have up to 16 KiB each, and rows do not show them.
        fetch={(cursor) =>
          api.deliveries.list({ ...queryNow(), responseBodies: 'false', limit: 100, cursor }, at).page()
        }
        idOf={idOf}
        columns={choice.shown}
        narrow={(row) => {
          const { tone, word } = stateOfDelivery(row);
          return {
            mark: <StatusIcon tone={tone} label={word} />,
            what: <span className="mono">{row.eventType}</span>,
            when: <Ago at={row.createdAt} />,
            where: <SubscriptionName id={row.subscriptionId} />,
            result: <LastResponse of={row} />,
          };
        }}
        above={
          <>
            <FilterLine
              filters={filters}
              hasTime
              hasPayloads
              columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
              {...(hasViews && { views: { page: 'deliveries', own: VIEWS } })}
              {...(ofTabs !== undefined && { ofTabs })}
            />
            {ofId === undefined && <DeliveriesStrip />}
          </>
        }
        {...(onCount !== undefined && { onCount })}
        empty={
          isFiltered ? (
            <NothingKept
              title="No deliveries match"
              filters={FILTERS}
              channel={search.channel}
              since={since}
              until={until}
            />
          ) : (
            <Empty
              icon={Send}
              title="No deliveries yet"
              actions={
                may('developer') && (
                  <Button
                    look="primary"
                    icon={Mail}
                    render={
                      <HereLink to="/messages/new" search={channelId === undefined ? {} : { channel: channelId }}>
                        Publish message
                      </HereLink>
                    }
                  >
                    Publish message
                  </Button>
                )
              }
            >
              <p>Each message is delivered to every subscription that matches it.</p>
              <FirstRequest of="message" channelId={channelId} />
            </Empty>
          )
        }
        hints={[
          ['J K', 'move'],
          ['↵', 'open'],
          ...(may('developer')
            ? ([
                ['X', 'select'],
                ['R', 'retry'],
              ] as const)
            : []),
        ]}
        {...(may('developer') && {
          // Before a delivered one is retried, its button asks for confirmation.
          again: { go: retry.go, isPlain: (row: Delivery) => row.status !== 'delivered' && !isWaiting(row) },
          acts: (rows: readonly Delivery[], onDone: () => void) => (
            <>
              {isFiltered && (
                <Button look="quiet" size="small" onClick={() => setRetried(retriedOf(search))}>
                  Retry all matching…
                </Button>
              )}
              <Button
                size="small"
                icon={RotateCw}
                keys="R"
                isBusy={retry.isBusy}
                onClick={() => retry.go(rows, onDone)}
              >
                Retry {rows.length}
              </Button>
              <CopyIds rows={rows} />
            </>
          ),
        })}
        panelTitle="Delivery"
        panel={(id) => <DeliveryPanel key={id} id={id} />}
        onVisit={(id) => go(`/deliveries/${id}`)}
      />
      {retry.asked !== undefined && <Confirm {...retry.asked}>{retry.asked.why}</Confirm>}
      {retried !== undefined && <RetryAllDialog filter={retried} onClose={() => setRetried(undefined)} />}
    </>
  );
}
