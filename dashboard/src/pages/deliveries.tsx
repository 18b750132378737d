import { api, type AskBulkRetry, type Delivery } from '../api/client.ts';
import { askedAnswer, statusesOf } from '../lib/answers.ts';
import type { ListFilter } from '../lib/list-filter.ts';
import { isEventType, isIdOf, oneOf, sinceOf, someOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { DeliveryState } from '../parts/delivery-state.tsx';
import { EachButton, useEach } from '../parts/each-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { FIGURES_PARTS } from '../parts/figures.tsx';
import { Filters } from '../parts/filters.tsx';
import { LastAnswer } from '../parts/last-answer.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneKept } from '../parts/none-kept.tsx';
import { CLASSES_OF_ERRORS, outcomeFilters } from '../parts/outcome-filters.ts';
import { Age, Time } from '../parts/time.tsx';
import { ThingName, useKnownNames } from '../parts/thing-name.tsx';
import { useSubscriptions } from '../parts/use-names.ts';
import { useSince } from '../parts/use-since.ts';
import { DeliveryView, isWaiting } from './delivery.tsx';
import { RetryAll } from './retry-all.tsx';

const STATUSES = ['pending', 'retrying', 'failed', 'delivered'] as const;
const SLOW = ['1000', '5000', '15000'] as const;
const HELD = ['true', 'false'] as const;
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
const NO_FILTERS: readonly ListFilter[] = [];
const idOf = ({ id }: Delivery): string => id;

/** The filters that deliveries have in any list of them; `named` are those by channel and subscription. */
function useDeliveryFilters(named: readonly ListFilter[]): readonly ListFilter[] {
  const t = useTexts();
  const [search] = useAddress();
  const times = useSince(search);
  const states = STATUSES.map((status) => [status, t.states[status]] as const);
  return [
    {
      name: 'status',
      label: t.fields.status,
      options: states,
      several: states,
      failure: 'failed,retrying',
    },
    { name: 'type', label: t.fields.eventType, accepts: isEventType },
    ...named,
    ...outcomeFilters(t),
    { name: 'message', label: t.fields.message, isChip: true, accepts: isIdOf('msg') },
    { name: 'replay', label: t.replays.one.filter, isChip: true, accepts: isIdOf('(?:rpl|rty|rpm)') },
    {
      name: 'slow',
      label: t.deliveries.slow,
      options: SLOW.map((ms) => [ms, t.deliveries.slowFrom(durationText(Number(ms), t.units))]),
    },
    {
      name: 'held',
      label: t.deliveries.heldOnly,
      options: HELD.map((each) => [each, t.deliveries.isHeld[each]]),
    },
    ...times,
  ];
}

/** The deliveries of one subscription, with the filters of the list of all. */
export function SubscriptionDeliveries({ id, channelId }: { id: string; channelId: string }) {
  const [search] = useAddress();
  const filters = useDeliveryFilters(NO_FILTERS);
  const isFiltered = filters.some(({ name }) => search[name] !== undefined);
  return (
    <>
      <Filters filters={filters} ofTabs={FIGURES_PARTS} />
      <DeliveryList
        filters={{ ...search, channel: undefined, subscription: id }}
        isFiltered={isFiltered}
        ofId={id}
        channelId={channelId}
      />
    </>
  );
}

type Filtered = Readonly<Record<(typeof FILTERS)[number], string | undefined>>;

/** Filter of the API that the address means, at the time of asking. */
const queryOf = ({ since, until, ...filters }: Partial<Filtered>) => {
  const slow = oneOf(filters.slow, SLOW);
  const query = {
    status: someOf(filters.status, STATUSES),
    eventType: filters.type,
    subscriptionId: filters.subscription,
    channelId: filters.channel,
    messageId: filters.message,
    replayId: filters.replay,
    errorClass: oneOf(filters.error, CLASSES_OF_ERRORS),
    errorStatus: statusesOf(filters.answer),
    minLatencyMs: slow === undefined ? undefined : Number(slow),
    held: oneOf(filters.held, HELD),
  };
  return { query, queryNow: () => ({ ...query, since: sinceOf(since), until: sinceOf(until) }) };
};

/** The same as the filter of a retry of all. */
const retriedOf = (filters: Partial<Filtered>) => (): AskBulkRetry => {
  const { held, ...query } = queryOf(filters).queryNow();
  return {
    ...query,
    errorStatus: askedAnswer(filters.answer),
    held: held === undefined ? undefined : held === 'true',
  };
};

/** The deliveries that a filter lets through. */
function DeliveryList({
  filters,
  isFiltered,
  ofId,
  channelId,
}: {
  filters: Partial<Filtered>;
  isFiltered: boolean;
  /** The subscription whose page shows them. */
  ofId?: string;
  /** Channel that all of them are of. */
  channelId?: string;
}) {
  const t = useTexts();
  const { at, path, may, app, environment } = useHere();
  const go = useGo();
  const { since, until } = filters;
  const { query, queryNow } = queryOf(filters);
  // The question about one that has arrived takes the name of its subscription.
  useSubscriptions();
  const nameOf = useKnownNames();
  const retryEach = useEach({
    label: t.deliveries.retry,
    what: ({ id }: Delivery) => api.deliveries.retry(id, at),
    told: t.deliveries.retryAsked,
    question: (rows: readonly Delivery[]) => {
      const arrived = rows.filter(({ status }) => status === 'delivered');
      const [first] = arrived;
      if (first === undefined) return undefined;
      const isOne = rows.length === 1;
      // Many things have no name of their own: the app is theirs.
      const name = isOne ? nameOf({ kind: 'subscription', id: first.subscriptionId }) : app.name;
      return {
        title: isOne ? t.deliveries.againTitle : t.deliveries.againManyTitle(rows.length),
        why: isOne ? t.deliveries.againWhy : t.deliveries.againManyWhy(arrived.length),
        typed: environment === 'live' ? name : undefined,
      };
    },
  });
  const columns: readonly Column<Delivery>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <DeliveryState of={row} /> },
    { head: t.fields.made, width: '168px', cell: (row) => <Time at={row.createdAt} /> },
    { head: t.deliveries.age, width: '88px', isNumber: true, cell: (row) => <Age since={row.createdAt} /> },
    { head: t.fields.eventType, width: 'minmax(100px, 0.8fr)', cell: (row) => row.eventType },
    ...(filters.subscription === undefined
      ? [
          {
            head: t.fields.subscription,
            width: 'minmax(110px, 1fr)',
            cell: (row: Delivery) => <ThingName kind="subscription" id={row.subscriptionId} />,
          },
        ]
      : []),
    {
      head: t.fields.delivery,
      width: 'minmax(88px, 0.8fr)',
      cell: (row) => (
        <HereLink to={`/deliveries/${row.id}`} className="mono">
          {row.id}
        </HereLink>
      ),
    },
    { head: t.fields.attempts, width: '64px', isNumber: true, cell: (row) => row.attempts },
    { head: t.fields.lastAnswer, width: 'minmax(128px, 1.8fr)', cell: (row) => <LastAnswer of={row} /> },
    {
      head: t.fields.nextTry,
      width: '168px',
      cell: (row) => row.nextRetryAt !== undefined && <Time at={row.nextRetryAt} />,
    },
  ];
  return (
    <LiveList
      name={t.nav.names.deliveries}
      kinds={['delivery']}
      listKey={[path, 'deliveries', query, since, until]}
      ofId={ofId}
      // Bodies of answers are up to 16 KiB each, and no row shows them.
      fetch={(cursor) => api.deliveries.list({ ...queryNow(), responseBodies: 'false', limit: 100, cursor }, at).page()}
      idOf={idOf}
      exported={{
        name: 'deliveries',
        path: '/v1/deliveries',
        query: queryNow,
        take: (format) => api.deliveries.export({ ...queryNow(), format }, at),
      }}
      columns={columns}
      leastWidth={1_140}
      empty={
        isFiltered ? (
          <NoneKept filters={FILTERS} channel={filters.channel} until={until} />
        ) : (
          <Empty title={t.deliveries.none}>
            <p>{t.deliveries.noneWhy}</p>
            {may('developer') && (
              <HereLink
                to="/messages/new"
                search={channelId === undefined ? {} : { channel: channelId }}
                className="button main"
              >
                {t.messages.publish}
              </HereLink>
            )}
            <FirstLine of="message" channelId={channelId} />
          </Empty>
        )
      }
      {...(may('developer') && {
        // One that has arrived is asked about first, by its button.
        again: { go: retryEach.go, isPlain: (row: Delivery) => row.status !== 'delivered' && !isWaiting(row) },
        acts: (rows: readonly Delivery[], onDone: () => void) => (
          <>
            <EachButton of={retryEach} rows={rows} onDone={onDone} />
            {retryEach.asking}
            {isFiltered && <RetryAll filterNow={retriedOf(filters)} label={t.list.allThatMatch} />}
          </>
        ),
      })}
      panel={(id) => <DeliveryView key={id} id={id} isInPanel />}
      onVisit={(id) => go(`/deliveries/${id}`)}
    />
  );
}
