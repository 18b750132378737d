import { useQuery } from '@tanstack/react-query';
import { api, type Message } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { Fold, Section } from '../../ui/layout.tsx';
import { useDeliveriesOf } from './use-message.ts';
import { VerdictRows } from './verdict-rows.tsx';

/**
 * The subscriptions that did not receive a message, and why, by their present settings; folded away. For a message that waits for its
 * time: who will receive it. The service asks a hundred subscriptions at most.
 */
export function NotDeliveredTo({ of: row }: { of: Message }) {
  if (row.erasedAt !== undefined || row.deliveryStatus === 'cancelled') return null;
  if (row.deliveryStatus === 'scheduled')
    return (
      <Section title="Recipients">
        <Verdicts of={row} isWaiting />
      </Section>
    );
  return (
    <Fold title="Not delivered to" isOpen={row.deliveryStatus === 'unrouted'}>
      <Verdicts of={row} />
    </Fold>
  );
}

function Verdicts({ of: { id }, isWaiting = false }: { of: Message; isWaiting?: boolean }) {
  const { at, path } = useHere();
  const found = useQuery({ queryKey: [path, 'verdicts', id], queryFn: () => api.messages.getVerdicts(id, at) });
  // A replay may have made a delivery since.
  const made = new Set(useDeliveriesOf(id).rows.map(({ subscriptionId }) => subscriptionId));
  if (found.data === undefined) return <NotRead of={found} />;
  const { subscriptions, isMore } = found.data;
  const shown = subscriptions.filter(
    ({ subscriptionId, deliveryId }) => isWaiting || (deliveryId === undefined && !made.has(subscriptionId)),
  );
  if (subscriptions.length === 0) return <p className="text-text-2">The channel has no subscriptions</p>;
  if (shown.length === 0)
    return (
      <p className="text-text-2">
        {isMore
          ? `The newest ${subscriptions.length} subscriptions all have a delivery`
          : 'Every subscription of the channel has a delivery'}
      </p>
    );
  return (
    <>
      <VerdictRows of={shown} label={isWaiting ? 'Recipients' : 'Not delivered to'} isPast={!isWaiting} />
      <p className="mt-2 text-12 text-text-3">
        By the current settings of each subscription
        {isMore && `. Only the newest ${subscriptions.length} are checked`}
      </p>
    </>
  );
}
