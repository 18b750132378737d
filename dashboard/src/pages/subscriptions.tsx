import { api, type Subscription } from '../api/client.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { SubscriptionState } from '../parts/subscription-state.tsx';
import { Time } from '../parts/time.tsx';
import { useChannels } from '../parts/use-names.ts';
import { SubscriptionView } from './subscription.tsx';

const STATUSES = ['active', 'paused', 'disabled'] as const;
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
          <HereLink to="/subscriptions/new" className="button main">
            {t.subscriptions.make}
          </HereLink>
        )}
      </Heading>
      <Filters
        filters={[
          { name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) },
          { name: 'channel', label: t.fields.channel, options: channels.all.map(({ id, name }) => [id, name]) },
          { name: 'owner', label: t.subscriptions.owner },
        ]}
      />
      <SubscriptionList
        channelId={search['channel']}
        owner={search['owner']}
        status={oneOf(search['status'], STATUSES)}
      />
    </>
  );
}

type Filter = {
  channelId?: string | undefined;
  owner?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
};

/** The subscriptions that a filter lets through, beside whatever else a page shows. */
export function SubscriptionList(filter: Filter) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const go = useGo();
  const channels = useChannels();
  const columns: readonly Column<Subscription>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <SubscriptionState of={row} /> },
    {
      head: t.common.name,
      width: 'minmax(140px, 1fr)',
      cell: (row) => <HereLink to={`/subscriptions/${row.id}`}>{row.name}</HereLink>,
    },
    {
      head: t.subscriptions.target,
      width: 'minmax(160px, 1.4fr)',
      cell: (row) => <span className="mono">{row.webhookUrl}</span>,
    },
    { head: t.fields.channel, width: 'minmax(100px, 1fr)', cell: (row) => channels.nameOf(row.channelId) },
    {
      head: t.subscriptions.types,
      width: 'minmax(100px, 1fr)',
      cell: (row) => (row.eventTypes.length === 0 ? t.subscriptions.allTypes : row.eventTypes.join(', ')),
    },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
  ];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <LiveList
      name={t.nav.names.subscriptions}
      kinds={['subscription']}
      listKey={[path, 'subscriptions', filter]}
      fetch={(cursor) => api.subscriptions.list({ ...filter, limit: 100, cursor }, at).page()}
      idOf={idOf}
      columns={columns}
      leastWidth={960}
      empty={
        <Empty title={isFiltered ? t.list.noneMatch : t.subscriptions.none}>
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
        </Empty>
      }
      panel={(id) => <SubscriptionView id={id} isInPanel />}
      onVisit={(id) => go(`/subscriptions/${id}`)}
    />
  );
}
