import { useQuery } from '@tanstack/react-query';
import { Split, Terminal } from 'lucide-react';
import { useState } from 'react';
import { api, type Delivery, type Message, type Subscription } from '../../api/client.ts';
import { requestsOf, type Written } from '../../api/requests.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { HELD_WORDS } from '../../lib/words.ts';
import { useActs } from '../../parts/acts.tsx';
import { RequestLines } from '../../parts/equivalent-request.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { FoundSelectField } from '../../parts/found-select.tsx';
import { HereLink, PROSE_LINK } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { FULL } from '../../parts/use-found.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { namedId } from '../../ui/copy.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { isInProgress } from './use-message.ts';

const TITLE = 'Send to a subscription';

/** Asks which subscription of its channel to send a message to, and shows the outcome there so far. */
export function SendTo({ message, onClose }: { message: Pick<Message, 'id' | 'channelId'>; onClose: () => void }) {
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [subscriptionId, setSubscriptionId] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [error, setError] = useState<unknown>();
  const [requests, setRequests] = useState<readonly Written[]>();
  const ofChannel = useQuery({
    queryKey: [path, 'subscriptions-of-channel', message.channelId],
    queryFn: async () => (await api.subscriptions.list({ channelId: message.channelId, limit: FULL }, at).page()).data,
  });
  const chosen = useQuery({
    queryKey: [path, 'subscription', subscriptionId],
    queryFn: () => api.subscriptions.get(subscriptionId, at),
    enabled: subscriptionId !== '',
    meta: { failure: 'own' },
    retry: false,
  });
  const before = useQuery({
    queryKey: [path, 'delivery-to', message.id, subscriptionId],
    queryFn: async () => {
      const query = { messageId: message.id, subscriptionId, responseBodies: 'false', limit: 1 } as const;
      return (await api.deliveries.list(query, at).page()).data[0] ?? null;
    },
    enabled: subscriptionId !== '',
    meta: { failure: 'own' },
  });
  const { data: all } = ofChannel;
  const isOnItsWay = before.data !== undefined && before.data !== null && isInProgress(before.data);
  const send = (): void => {
    setError(undefined);
    setIsMissing(subscriptionId === '');
    if (subscriptionId === '' || isOnItsWay) return;
    void act(
      async () => {
        await api.messages.replay(message.id, { subscriptionId }, at);
        onClose();
        await refresh();
      },
      { told: `Message sent to ${chosen.data?.name ?? 'the subscription'}`, onFailure: setError },
    );
  };
  if (all === undefined)
    return (
      <Dialog
        title={TITLE}
        environment={environment}
        onClose={onClose}
        actions={<Button onClick={onClose}>Cancel</Button>}
      >
        <NotRead of={ofChannel} />
      </Dialog>
    );
  if (all.length === 0)
    return (
      <Dialog
        title={TITLE}
        environment={environment}
        onClose={onClose}
        description="The channel has no subscriptions."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              icon={Split}
              render={<HereLink to="/subscriptions/new" search={{ channel: message.channelId }} />}
            >
              Create subscription
            </Button>
          </>
        }
      />
    );
  return (
    <Dialog
      title={TITLE}
      environment={environment}
      onClose={onClose}
      onSubmit={send}
      description="The subscription receives this message whatever its event types and filter are."
      actions={
        <>
          <IconButton
            icon={Terminal}
            label="Equivalent request"
            className="mr-auto"
            isDisabled={subscriptionId === ''}
            aria-expanded={requests !== undefined}
            onClick={() => (requests === undefined ? void requestsOf(send).then(setRequests) : setRequests(undefined))}
          />
          <DialogButtons
            go="Send message"
            onCancel={onClose}
            isDisabled={isOnItsWay}
            why="It is being delivered already"
          />
        </>
      }
    >
      <FoundSelectField
        kind="subscription"
        label="Subscription"
        icon={Split}
        known={all.map(({ id, name }) => [id, name] as const)}
        isMore={all.length >= FULL}
        value={subscriptionId}
        onChange={(id) => {
          setSubscriptionId(id);
          setIsMissing(false);
          setError(undefined);
          setRequests(undefined);
        }}
        placeholder="Choose a subscription"
        error={isMissing ? 'Choose a subscription of the channel' : problemOf(error, 'subscriptionId')}
      />
      <div aria-live="polite" className="flex flex-col gap-1 text-text-2 empty:hidden">
        {before.data !== undefined && <Before of={before.data} />}
        {chosen.data !== undefined && !isOnItsWay && <Waits of={chosen.data} />}
      </div>
      {problemOf(error, 'subscriptionId') === undefined && <FailureNote error={error} />}
      {requests !== undefined && requests.length > 0 && <RequestLines of={requests} />}
    </Dialog>
  );
}

/** Shows the outcome of the message at that subscription. */
function Before({ of: delivery }: { of: Delivery | null }) {
  if (delivery === null) return <p>Never delivered to this subscription</p>;
  const text = isInProgress(delivery)
    ? 'It is being delivered already. Retry the delivery to send it now:'
    : delivery.status === 'delivered'
      ? 'Already delivered. The endpoint receives it again with the same ID:'
      : 'The delivery failed. Its retry policy starts over:';
  return (
    <p>
      {text}{' '}
      <HereLink to={`/deliveries/${delivery.id}`} className={`mono ${PROSE_LINK}`}>
        {namedId(delivery.id)}
      </HereLink>
    </p>
  );
}

function Waits({ of: { status } }: { of: Subscription }) {
  return status === 'active' ? null : <p>The delivery will be on hold: {HELD_WORDS[status].toLowerCase()}</p>;
}
