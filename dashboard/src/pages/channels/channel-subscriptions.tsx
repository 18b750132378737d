import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Subscription, type SubscriptionStats } from '../../api/client.ts';
import { deliveredOf } from '../../lib/delivered.ts';
import { countText, shareOf, shareText } from '../../lib/format.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { hostOf } from '../../parts/names.tsx';
import { TypeTag } from '../../ui/badge.tsx';
import { Sparkline } from '../../ui/figures.tsx';
import { Section } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { USUAL } from '../overview/use-figures.ts';

const SHOWN = 20;
const EVERY_MS = 15_000;
type Figures = SubscriptionStats['subscriptions'][number];

/** The subscriptions of a channel, and their health in the time range of the page. */
export function ChannelSubscriptions({ channelId, create }: { channelId: string; create: ReactNode }) {
  const { at, path } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const { since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'subscriptions-of', channelId],
    queryFn: () => api.subscriptions.list({ channelId, limit: SHOWN }, at).page(),
    refetchInterval: EVERY_MS,
  });
  const rows = found.data?.data ?? [];
  const ids = rows.map(({ id }) => id);
  const figures = useQuery({
    queryKey: [path, 'subscription-figures', ids, since, until],
    queryFn: async () => {
      const span = { since: sinceOf(since), until: sinceOf(until) };
      return (await api.stats.getSubscriptions({ subscriptionIds: ids, ...span }, at)).subscriptions;
    },
    enabled: ids.length > 0,
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const healthIn = (row: Subscription) => healthOf(row, { isFailing: figuresOf(row)?.failingSince !== undefined });
  const figuresOf = (row: Subscription): Figures | undefined =>
    figures.data?.find(({ subscriptionId }) => subscriptionId === row.id);
  const isBad = (row: Subscription): boolean => healthIn(row).tone === 'failed';
  return (
    <Section
      title="Subscriptions"
      end={
        <>
          {rows.length > 0 && (
            <HereLink to="/subscriptions" search={{ channel: channelId }} className="px-1 text-accent hover:underline">
              View all{found.data?.pagination.hasMore === true ? '' : ` ${rows.length}`}
            </HereLink>
          )}
          {create}
        </>
      }
    >
      {found.data === undefined ? (
        <NotRead of={found} />
      ) : (
        <Table<Subscription>
          label="Subscriptions"
          rows={rows.toSorted((one, other) => Number(isBad(other)) - Number(isBad(one)))}
          keyOf={({ id }) => id}
          onOpen={({ id }) => go(`/subscriptions/${id}`)}
          empty="No subscriptions yet. Messages are stored, and nobody receives them."
          columns={[
            {
              head: 'Health',
              width: '116px',
              cell: (row) => {
                const { tone, word } = healthIn(row);
                return <Status tone={tone}>{word}</Status>;
              },
            },
            {
              head: 'Subscription',
              cell: (row) => (
                <>
                  <HereLink to={`/subscriptions/${row.id}`} className="font-medium">
                    {row.name}
                  </HereLink>
                  <span className="ml-1.75 text-text-2 max-md:hidden">{hostOf(row.webhookUrl)}</span>
                </>
              ),
            },
            {
              head: 'Event types',
              width: '152px',
              isWide: true,
              cell: (row) => <EventTypes of={row.eventTypes} />,
            },
            {
              head: 'Trend',
              width: '96px',
              isWide: true,
              cell: (row) => {
                const own = figuresOf(row);
                return (
                  own && (
                    <Sparkline
                      className="h-5 w-20"
                      values={own.points.map((point) => point.delivered + point.failedAttempts)}
                      isBad={own.failingSince !== undefined}
                    />
                  )
                );
              },
            },
            {
              head: 'Attempts',
              width: '80px',
              isNumber: true,
              isWide: true,
              cell: (row) => {
                const own = figuresOf(row)?.totals;
                return own && countText(own.delivered + own.failedAttempts);
              },
            },
            {
              head: 'Success rate',
              width: '112px',
              isNumber: true,
              isWide: true,
              cell: (row) => <SuccessRate of={figuresOf(row)} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

function EventTypes({ of: types = [] }: { of: readonly string[] | undefined }) {
  const [first] = types;
  if (first === undefined) return <span className="text-text-2">All event types</span>;
  return (
    <span className="flex items-center gap-1.5">
      <TypeTag>{first}</TypeTag>
      {types.length > 1 && <span className="text-12 text-text-3">+{types.length - 1}</span>}
    </span>
  );
}

function SuccessRate({ of: own }: { of: Figures | undefined }) {
  if (own === undefined) return null;
  const { delivered, finished } = deliveredOf(own.deliveries);
  const share = shareOf(delivered, finished);
  return (
    <span className={share !== undefined && share < 95 ? 'text-failed' : undefined}>
      {shareText(delivered, finished)}
    </span>
  );
}
