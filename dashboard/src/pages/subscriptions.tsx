import { api, type Subscription, type SubscriptionStats } from '../api/client.ts';
import { countText } from '../lib/bounded-count.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { Sparkline } from '../parts/chart.tsx';
import { Empty } from '../parts/empty.tsx';
import { deliveredPercent } from '../parts/figure-numbers.tsx';
import { FIGURES_PARTS } from '../parts/figures.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { SubscriptionState } from '../parts/subscription-state.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { useChannels } from '../parts/use-names.ts';
import { useRowFigures } from '../parts/use-row-figures.ts';
import { SubscriptionView } from './subscription.tsx';
import { namedFilter, nameFilter } from '../parts/named-filter.ts';
import { type OwnView, Views } from '../parts/views.tsx';

const FAILING = ['true', 'false'] as const;
const STATUSES = ['active', 'paused', 'disabled'] as const;
const FILTERS = ['name', 'status', 'failing', 'channel', 'owner'] as const;
const VIEWS: readonly OwnView[] = [
  { name: 'failing', search: { failing: 'true' } },
  { name: 'paused', search: { status: 'paused' } },
  { name: 'disabled', search: { status: 'disabled' } },
];
type Figures = SubscriptionStats['subscriptions'][number];
const idOf = ({ id }: Subscription): string => id;

export function SubscriptionsPage() {
  const t = useTexts();
  const [search] = useAddress();
  const { may } = useHere();
  const channels = useChannels();
  return (
    <>
      <Heading title={t.nav.names.subscriptions}>
        {may('developer') && (
          <HereLink to="/subscriptions/new" search={{ channel: search['channel'] ?? '' }} className="button main">
            {t.subscriptions.make}
          </HereLink>
        )}
      </Heading>
      <Views page="subscriptions" filters={FILTERS} own={VIEWS} />
      <Filters
        ofPanel={FIGURES_PARTS}
        filters={[
          nameFilter(t.subscriptions.nameOrHost),
          { name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) },
          {
            name: 'failing',
            label: t.subscriptions.health,
            options: FAILING.map((each) => [each, t.subscriptions.isFailing[each]]),
          },
          namedFilter('channel', t.fields.channel, channels),
          { name: 'owner', label: t.subscriptions.owner },
        ]}
      />
      <SubscriptionList
        name={search['name']}
        channelId={search['channel']}
        owner={search['owner']}
        status={oneOf(search['status'], STATUSES)}
        failing={oneOf(search['failing'], FAILING)}
      />
    </>
  );
}

type Filter = {
  name?: string | undefined;
  channelId?: string | undefined;
  owner?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
  failing?: (typeof FAILING)[number] | undefined;
};

/** The subscriptions that a filter lets through, beside whatever else a page shows. */
export function SubscriptionList({ isOfChannel = false, ...filter }: Filter & { isOfChannel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const go = useGo();
  const figures = useRowFigures(
    'subscription-figures',
    async (ids) => (await api.stats.getSubscriptions({ subscriptionIds: ids }, at)).subscriptions,
  );
  const figuresOf = ({ id }: Subscription): Figures | undefined =>
    figures.find(({ subscriptionId }) => subscriptionId === id);
  const columns: readonly Column<Subscription>[] = [
    {
      head: t.fields.status,
      width: '104px',
      cell: (row) => <SubscriptionState of={row} isFailing={figuresOf(row)?.failingSince !== undefined} />,
    },
    {
      head: t.common.name,
      width: 'minmax(112px, 1fr)',
      cell: (row) => <HereLink to={`/subscriptions/${row.id}`}>{row.name}</HereLink>,
    },
    {
      head: t.subscriptions.target,
      width: 'minmax(120px, 1.4fr)',
      cell: (row) => <span className="mono">{row.webhookUrl}</span>,
    },
    {
      head: t.fields.channel,
      width: 'minmax(72px, 1fr)',
      cell: (row) => <ThingName kind="channel" id={row.channelId} />,
    },
    {
      head: t.subscriptions.types,
      width: 'minmax(80px, 1fr)',
      cell: (row) => (row.eventTypes.length === 0 ? t.subscriptions.allTypes : row.eventTypes.join(', ')),
    },
    { head: t.figures.lastDay, width: '96px', cell: (row) => <LastDay of={figuresOf(row)} /> },
    {
      head: t.subscriptions.waiting,
      width: '72px',
      isNumber: true,
      cell: (row) => {
        const waiting = figuresOf(row)?.waiting;
        return waiting && countText(waiting);
      },
    },
    {
      head: t.figures.success,
      width: '64px',
      isNumber: true,
      cell: (row) => {
        const { totals, failingSince } = figuresOf(row) ?? {};
        const part = totals && deliveredPercent(totals);
        // All that has ended has arrived, and all of now is being retried: its state says so.
        if (part === 100 && failingSince !== undefined) return '–';
        return part !== undefined && `${part.toLocaleString(t.figures.locale)} %`;
      },
    },
    {
      head: t.figures.p95,
      width: '88px',
      isNumber: true,
      cell: (row) => {
        const latency = figuresOf(row)?.totals.latencyMs;
        return latency && durationText(latency.p95, t.units);
      },
    },
  ];
  const isFiltered = !isOfChannel && Object.values(filter).some((value) => value !== undefined);
  return (
    <LiveList
      name={t.nav.names.subscriptions}
      kinds={['subscription']}
      listKey={[path, 'subscriptions', filter]}
      ofId={isOfChannel ? filter.channelId : undefined}
      fetch={async (cursor) => {
        const page = await api.subscriptions.list({ ...filter, limit: 100, cursor }, at).page();
        figures.haveRead(cursor, page.data.map(idOf));
        return page;
      }}
      idOf={idOf}
      exported={{ name: 'subscriptions', path: '/v1/subscriptions', query: () => filter, at }}
      columns={columns}
      leastWidth={960}
      empty={
        isFiltered ? (
          <NoneMatch filters={FILTERS} />
        ) : (
          <Empty title={t.subscriptions.none}>
            <p>{t.subscriptions.noneWhy}</p>
            {may('developer') && (
              <HereLink
                to="/subscriptions/new"
                search={filter.channelId === undefined ? {} : { channel: filter.channelId }}
                className="button main"
              >
                {t.subscriptions.make}
              </HereLink>
            )}
            <FirstLine of="subscription" channelId={filter.channelId} />
          </Empty>
        )
      }
      panel={(id) => <SubscriptionView id={id} isInPanel />}
      onVisit={(id) => go(`/subscriptions/${id}`)}
    />
  );
}

function LastDay({ of: figures }: { of: Figures | undefined }) {
  const t = useTexts();
  if (figures === undefined) return null;
  const { totals, points } = figures;
  const words = [totals.delivered, totals.failedAttempts].map((count) => count.toLocaleString(t.figures.locale));
  return (
    <Sparkline
      label={t.figures.tries(words[0] ?? '', words[1] ?? '')}
      series={[
        { name: t.figures.delivered, look: 'delivered', values: points.map(({ delivered }) => delivered) },
        { name: t.figures.failed, look: 'failed', values: points.map(({ failedAttempts }) => failedAttempts) },
      ]}
    />
  );
}
