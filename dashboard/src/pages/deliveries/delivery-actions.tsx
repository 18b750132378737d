import { ArrowUpRight, FileText, RotateCw, ShieldCheck, Split, Terminal } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, Subscription } from '../../api/client.ts';
import { temporalUrl } from '../../lib/addresses.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { isWaiting } from './delivery-state.tsx';
import { SignedCurl } from './signed-curl.tsx';
import type { useRetry } from './use-delivery.ts';

/**
 * The actions of a delivery. Retrying a delivered one asks for confirmation, because its endpoint would receive it
 * again.
 */
export function DeliveryActions({
  delivery,
  subscription,
  carrier,
  retrying,
}: {
  delivery: Delivery;
  subscription: Subscription | undefined;
  /** Id of the Temporal workflow of the selected attempt. */
  carrier: string | undefined;
  retrying: ReturnType<typeof useRetry>;
}) {
  const { may } = useHere();
  const { act } = useActs();
  const [isAsking, setIsAsking] = useState(false);
  const [isSigning, setIsSigning] = useState(false);
  const isDelivered = delivery.status === 'delivered';
  const temporal = carrier === undefined ? undefined : temporalUrl(carrier);
  return (
    <>
      {may('developer') && (
        <>
          <Button
            look={isDelivered ? 'default' : 'primary'}
            icon={RotateCw}
            keys="R"
            isDisabled={isWaiting(delivery)}
            why="It is due already"
            onClick={isDelivered ? () => setIsAsking(true) : retrying.retryNow}
          >
            Retry now
          </Button>
          <Button icon={Terminal} onClick={() => setIsSigning(true)}>
            Copy as cURL
          </Button>
        </>
      )}
      <MoreMenu
        groups={[
          {
            items: [
              { label: 'View message', icon: FileText, render: <HereLink to={`/messages/${delivery.messageId}`} /> },
              {
                label: 'View subscription',
                icon: Split,
                render: <HereLink to={`/subscriptions/${delivery.subscriptionId}`} />,
              },
              may('developer') && {
                label: 'Check signature',
                icon: ShieldCheck,
                render: (
                  <HereLink
                    to="/doctor"
                    search={{ message: delivery.messageId, subscription: delivery.subscriptionId }}
                  />
                ),
              },
              temporal !== undefined && {
                label: 'Open in Temporal',
                icon: ArrowUpRight,
                render: <a href={temporal} target="_blank" rel="noopener noreferrer" aria-label="Open in Temporal" />,
              },
            ],
          },
        ]}
      />
      {isAsking && (
        <Confirm
          title="Deliver again?"
          go="Deliver again"
          typed={subscription?.name ?? delivery.subscriptionId}
          onClose={() => setIsAsking(false)}
          onGo={() => void act(retrying.retry, { told: 'Retry queued' })}
        >
          The endpoint already received this message and will receive it again with the same ID.
        </Confirm>
      )}
      {isSigning && <SignedCurl delivery={delivery} onClose={() => setIsSigning(false)} />}
    </>
  );
}
