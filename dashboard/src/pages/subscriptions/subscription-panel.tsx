import type { Subscription } from '../../api/client.ts';
import { countText, durationText, shareOf, shareText } from '../../lib/format.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { deliveredOf } from '../../lib/delivered.ts';
import { policyText } from '../../lib/policy-text.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { useSubscriptionStats } from '../../parts/use-failing.ts';
import { TypeTag } from '../../ui/badge.tsx';
import { CopyButton, CopyId } from '../../ui/copy.tsx';
import { FigureStrip } from '../../ui/figures.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { LastResponse } from '../deliveries/delivery-state.tsx';
import { SubscriptionActions, useSubscriptionActs } from './subscription-actions.tsx';
import { SubscriptionCallout, SubscriptionWarnings } from './subscription-callout.tsx';
import { EditLink } from './subscription-side.tsx';
import { useRecentDeliveries, useSubscription } from './use-subscription.ts';

const LINK = 'text-accent hover:underline';

/** The panel of a subscription: what is wrong, its actions, its figures, and its newest deliveries. */
export function SubscriptionPanel({ id }: { id: string }) {
  const found = useSubscription(id);
  const stats = useSubscriptionStats(id);
  const acts = useSubscriptionActs(found.data);
  if (found.data === undefined) return <NotRead of={found} />;
  const row = found.data;
  const { tone, word } = healthOf(row, { isFailing: stats?.failingSince !== undefined });
  const rate = stats && deliveredOf(stats.deliveries);
  const share = rate && shareOf(rate.delivered, rate.finished);
  const isMisleading = share === 100 && stats?.failingSince !== undefined;
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-x-1.75 text-15 font-bold tracking-tight [overflow-wrap:anywhere]">
        <StatusIcon tone={tone} label={word} isSmall={false} />
        <HereLink to={`/subscriptions/${row.id}`} className="hover:underline">
          {row.name}
        </HereLink>
      </h2>
      <div className="flex flex-col gap-3 empty:hidden">
        <SubscriptionCallout of={row} failingSince={stats?.failingSince} />
        <SubscriptionWarnings of={row} />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <SubscriptionActions of={row} acts={acts} isInPanel />
      </div>
      {stats !== undefined && rate !== undefined && (
        <Section title="Last 24 hours">
          <FigureStrip
            label="Last 24 hours"
            figures={[
              {
                label: 'Success rate',
                value: isMisleading ? '—' : shareText(rate.delivered, rate.finished),
              },
              { label: 'Attempts', value: countText(stats.totals.delivered + stats.totals.failedAttempts) },
              {
                label: 'p95 latency',
                value: stats.totals.latencyMs === undefined ? '—' : durationText(stats.totals.latencyMs.p95),
              },
              { label: 'Backlog', value: boundedText(stats.waiting) },
            ]}
          />
        </Section>
      )}
      <Recent of={row} />
      <Section title="Details" end={<EditLink id={row.id} />}>
        <Facts
          facts={[
            [
              'Endpoint',
              <span key="endpoint" className="inline-flex items-start gap-1">
                <code className="line-clamp-3 [overflow-wrap:anywhere]">{row.webhookUrl}</code>
                <CopyButton text={row.webhookUrl} label="Copy endpoint URL" />
              </span>,
            ],
            [
              'Channel',
              <HereLink key="channel" to={`/channels/${row.channelId}`} className={LINK}>
                <Name kind="channel" id={row.channelId} />
              </HereLink>,
            ],
            [
              'Event types',
              <span key="types" className="flex flex-wrap gap-1.5">
                {row.eventTypes.length === 0
                  ? 'All event types'
                  : row.eventTypes.map((type) => <TypeTag key={type}>{type}</TypeTag>)}
              </span>,
            ],
            [
              'Filter',
              row.filter === undefined ? (
                <span key="filter" className="text-text-3">
                  None
                </span>
              ) : (
                <code key="filter" className="[overflow-wrap:anywhere]">
                  {row.filter}
                </code>
              ),
            ],
            ['Retry policy', policyText(row.retryPolicy)],
            row.owner !== undefined && ['Customer ID', <code key="owner">{row.owner}</code>],
            ['Created', <Ago key="created" at={row.createdAt} />],
            ['ID', <CopyId key="id" id={row.id} isNamed />],
          ]}
        />
      </Section>
    </div>
  );
}

const SHOWN = 5;

function Recent({ of: row }: { of: Subscription }) {
  const { data } = useRecentDeliveries(row.id);
  if (data === undefined) return null;
  return (
    <Section
      title="Recent deliveries"
      end={
        <HereLink to="/deliveries" search={{ subscription: row.id }} className={LINK}>
          View all
        </HereLink>
      }
    >
      {data.length === 0 ? (
        <p className="text-text-2">No deliveries yet</p>
      ) : (
        <ul aria-label="Recent deliveries" className="rounded-8 border border-line-strong">
          {data.slice(0, SHOWN).map((delivery) => {
            const { tone, word } = stateOfDelivery(delivery);
            return (
              <li key={delivery.id} className="flex h-row items-center gap-2.5 border-line px-3 not-last:border-b">
                <StatusIcon tone={tone} label={word} />
                <HereLink to={`/deliveries/${delivery.id}`} className="mono min-w-0 grow truncate hover:underline">
                  {delivery.eventType}
                </HereLink>
                <span className="shrink-0">
                  <LastResponse of={delivery} />
                </span>
                <span className="w-20 shrink-0 text-right whitespace-nowrap text-text-2">
                  <Ago at={delivery.createdAt} />
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
