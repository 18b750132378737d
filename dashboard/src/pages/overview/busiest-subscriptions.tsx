import { useQuery } from '@tanstack/react-query';
import { Split } from 'lucide-react';
import { api, type Subscription, type SubscriptionStats } from '../../api/client.ts';
import { deliveredOf } from '../../lib/delivered.ts';
import { countText, durationText, shareOf, shareText } from '../../lib/format.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { HereLink, useGo } from '../../parts/link.tsx';
import { hostOf } from '../../parts/names.tsx';
import { useSubscriptions } from '../../parts/use-names.ts';
import { Sparkline } from '../../ui/figures.tsx';
import { Section } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { USUAL } from './use-figures.ts';

const SHOWN = 8;
type Row = { subscription: Subscription; figures: SubscriptionStats['subscriptions'][number]; attempts: number };

/** The subscriptions with the most attempts in the time range, and their health. */
export function BusiestSubscriptions({ channelId }: { channelId: string | undefined }) {
  const { at, path } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const { since = USUAL, until } = search;
  const all = useSubscriptions();
  const figures = useQuery({
    queryKey: [path, 'subscription-figures', 'span', since, until],
    queryFn: async () =>
      (await api.stats.getSubscriptions({ since: sinceOf(since), until: sinceOf(until) }, at)).subscriptions,
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });
  const known = new Map(all.all.map((each) => [each.id, each]));
  const rows = (figures.data ?? [])
    .flatMap((each): Row[] => {
      const subscription = known.get(each.subscriptionId);
      if (subscription === undefined || (channelId !== undefined && subscription.channelId !== channelId)) return [];
      return [{ subscription, figures: each, attempts: each.totals.delivered + each.totals.failedAttempts }];
    })
    .toSorted((one, other) => other.attempts - one.attempts)
    .slice(0, SHOWN);
  return (
    <Section
      title="Busiest subscriptions"
      end={
        <HereLink to="/subscriptions" className="text-accent hover:underline">
          View all{all.isFull ? '' : ` ${all.all.length}`}
        </HereLink>
      }
    >
      <Table
        label="Busiest subscriptions"
        rows={rows}
        keyOf={({ subscription }) => subscription.id}
        onOpen={({ subscription }) => go(`/subscriptions/${subscription.id}`)}
        empty={all.isPending || figures.isPending ? undefined : <Nothing />}
        columns={[
          {
            head: 'Subscription',
            width: '34%',
            cell: ({ subscription }) => (
              <span title={`${subscription.name}, ${hostOf(subscription.webhookUrl)}`}>
                <HereLink to={`/subscriptions/${subscription.id}`} className="font-medium">
                  {subscription.name}
                </HereLink>
                {hostOf(subscription.webhookUrl) !== subscription.name && (
                  <span className="ml-1.75 text-text-2">{hostOf(subscription.webhookUrl)}</span>
                )}
              </span>
            ),
          },
          {
            head: 'Health',
            width: '120px',
            cell: ({ subscription, figures: { failingSince } }) => {
              const { tone, word } = healthOf(subscription, { isFailing: failingSince !== undefined });
              return <Status tone={tone}>{word}</Status>;
            },
          },
          {
            head: 'Trend',
            width: '112px',
            isWide: true,
            cell: ({ figures: { points, failingSince } }) => (
              <Sparkline
                className="h-5 w-22"
                values={points.map((point) => point.delivered + point.failedAttempts)}
                isBad={failingSince !== undefined}
              />
            ),
          },
          { head: 'Attempts', isNumber: true, isWide: true, cell: ({ attempts }) => countText(attempts) },
          {
            head: 'Success rate',
            isNumber: true,
            cell: ({ figures: { deliveries } }) => {
              const { delivered, finished } = deliveredOf(deliveries);
              const share = shareOf(delivered, finished);
              return (
                <span className={share !== undefined && share < 95 ? 'text-failed' : undefined}>
                  {shareText(delivered, finished)}
                </span>
              );
            },
          },
          {
            head: 'p95',
            isNumber: true,
            isWide: true,
            cell: ({ figures: { totals } }) =>
              totals.latencyMs === undefined ? '—' : durationText(totals.latencyMs.p95),
          },
        ]}
      />
    </Section>
  );
}

const Nothing = () => (
  <span className="flex items-center gap-2">
    <Split size={14} strokeWidth={2} aria-hidden="true" /> No attempts in this range
  </span>
);
