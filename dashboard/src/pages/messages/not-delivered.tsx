import { useQuery } from '@tanstack/react-query';
import { api, type Message, type MessageRouting } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { Fold, Section } from '../../ui/layout.tsx';
import { useDeliveriesOf } from './use-message.ts';
import { VerdictRows } from './verdict-rows.tsx';

/**
 * The subscriptions that did not receive a message, and why, according to their present settings; collapsed at first.
 * For a scheduled message: who will receive it. The service evaluates at most a hundred subscriptions.
 */
export function NotDeliveredTo({ of: row }: { of: Message }) {
  const { at, path } = useHere();
  const isWanted = row.erasedAt === undefined && row.deliveryStatus !== 'cancelled';
  const found = useQuery({
    queryKey: [path, 'verdicts', row.id],
    queryFn: () => api.messages.getRouting(row.id, at),
    enabled: isWanted,
    meta: { failure: 'own' },
  });
  // A replay may have created a delivery since.
  const made = new Set(useDeliveriesOf(row.id).rows.map(({ subscriptionId }) => subscriptionId));
  const isWaiting = row.deliveryStatus === 'scheduled';
  if (!isWanted) return null;
  if (isWaiting)
    return (
      <Section title="Recipients">
        {found.data === undefined ? <NotRead of={found} /> : <Verdicts of={found.data} isWaiting />}
      </Section>
    );
  if (found.data === undefined) return found.isError ? <NotRead of={found} /> : null;
  const left = found.data.subscriptions.filter(
    ({ subscriptionId, deliveryId }) => deliveryId === undefined && !made.has(subscriptionId),
  );
  const isUnrouted = row.deliveryStatus === 'unrouted';
  // Every subscription received it.
  if (left.length === 0 && !isUnrouted) return null;
  return (
    <Fold title="Not delivered to" isOpen={isUnrouted}>
      <Verdicts of={{ ...found.data, subscriptions: left }} />
    </Fold>
  );
}

function Verdicts({
  of: { subscriptions, isMore },
  isWaiting = false,
}: {
  of: Pick<MessageRouting, 'subscriptions' | 'isMore'>;
  isWaiting?: boolean;
}) {
  if (subscriptions.length === 0) return <p className="text-text-2">The channel has no subscriptions</p>;
  return (
    <>
      <VerdictRows of={subscriptions} label={isWaiting ? 'Recipients' : 'Not delivered to'} isPast={!isWaiting} />
      <p className="mt-2 text-12 text-text-3">
        By the current settings of each subscription
        {isMore && `. Only the newest ${subscriptions.length} are checked`}
      </p>
    </>
  );
}
