import type { Delivery, Subscription } from '../../api/client.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { TimeRange } from '../../parts/data-list/time-range.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Columns, Section } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { LastResponse } from '../deliveries/delivery-state.tsx';
import { DeliveriesChart, Responses } from '../overview/deliveries-chart.tsx';
import { useFigures } from '../overview/use-figures.ts';
import { SubscriptionCallout, SubscriptionWarnings } from './subscription-callout.tsx';
import { SubscriptionFigures } from './subscription-figures.tsx';
import { SubscriptionSide } from './subscription-side.tsx';
import { useRecentDeliveries } from './use-subscription.ts';

/**
 * The health of a subscription: what is wrong, its figures over time, and its newest deliveries next to its settings.
 */
export function SubscriptionOverview({
  of: row,
  failingSince,
  hasRange,
}: {
  of: Subscription;
  failingSince: string | undefined;
  /** The tabs have no room for the time range control. */
  hasRange: boolean;
}) {
  const figures = useFigures(undefined, row.id);
  const now = figures.data?.now;
  return (
    <div className="flex flex-col gap-7">
      <div className="flex flex-col gap-4">
        <SubscriptionCallout of={row} failingSince={failingSince} />
        <SubscriptionWarnings of={row} />
        {hasRange && <TimeRange usual="24h" />}
        <SubscriptionFigures of={figures} id={row.id} isFailing={failingSince !== undefined} />
      </div>
      <Columns
        side={
          <>
            {now !== undefined && now.answers.length > 0 && <Responses of={figures} subscriptionId={row.id} />}
            <SubscriptionSide of={row} />
          </>
        }
      >
        <DeliveriesChart of={figures} subscriptionId={row.id} />
        <RecentDeliveries of={row} />
      </Columns>
    </div>
  );
}

function RecentDeliveries({ of: row }: { of: Subscription }) {
  const go = useGo();
  const recent = useRecentDeliveries(row.id);
  const most = row.retryPolicy.maxRetries + 1;
  return (
    <Section
      title="Recent deliveries"
      end={
        <HereLink
          to={`/subscriptions/${row.id}`}
          search={{ tab: 'deliveries' }}
          className="text-accent hover:underline"
        >
          View all
        </HereLink>
      }
    >
      {recent.data === undefined ? (
        <Skeleton />
      ) : (
        <Table<Delivery>
          label="Recent deliveries"
          rows={recent.data}
          keyOf={({ id }) => id}
          onOpen={({ id }) => go(`/deliveries/${id}`)}
          empty="No deliveries yet"
          columns={[
            {
              head: 'Status',
              width: '108px',
              cell: (delivery) => {
                const { tone, word } = stateOfDelivery(delivery);
                return <Status tone={tone}>{word}</Status>;
              },
            },
            {
              head: 'Event type',
              cell: ({ id, eventType }) => (
                <HereLink to={`/deliveries/${id}`} className="mono">
                  {eventType}
                </HereLink>
              ),
            },
            {
              head: 'Attempts',
              width: '84px',
              isWide: true,
              cell: ({ attempts, status }) =>
                status === 'delivered' || attempts > most ? attempts : `${attempts} of ${most}`,
            },
            { head: 'Response', isWide: true, cell: (delivery) => <LastResponse of={delivery} /> },
            { head: 'ID', width: '84px', isWide: true, cell: ({ id }) => <CopyId id={id} /> },
            { head: 'Created', width: '108px', isNumber: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
          ]}
        />
      )}
    </Section>
  );
}
