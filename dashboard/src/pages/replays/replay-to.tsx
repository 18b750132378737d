import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Delivery, type Message } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/field.tsx';
import { FoundField } from '../../parts/found-field.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Name } from '../../parts/names.tsx';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { FULL } from '../../parts/use-found.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/callout.tsx';
import { namedId } from '../../ui/copy.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Status } from '../../ui/status.tsx';

const isInProgress = ({ status }: Delivery): boolean => status === 'pending' || status === 'retrying';

/** Asks which subscription of its channel gets a message, and says what has become of the message there. */
export function ReplayTo({
  message,
  onAsked,
  onClose,
}: {
  message: Pick<Message, 'id' | 'channelId'>;
  /** Told of the delivery that was made, for `ReplayOutcome`. */
  onAsked: (delivery: Delivery) => void;
  onClose: () => void;
}) {
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [subscriptionId, setSubscriptionId] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [error, setError] = useState<unknown>();
  const ofChannel = useQuery({
    queryKey: [path, 'subscriptions-of-channel', message.channelId],
    queryFn: async () => (await api.subscriptions.list({ channelId: message.channelId, limit: FULL }, at).page()).data,
  });
  const chosen = useQuery({
    queryKey: [path, 'subscription', subscriptionId],
    queryFn: () => api.subscriptions.get(subscriptionId, at),
    enabled: subscriptionId !== '',
    retry: false,
    meta: { failure: 'own' },
  });
  const before = useQuery({
    queryKey: [path, 'delivery-to', message.id, subscriptionId],
    queryFn: async () => {
      const query = { messageId: message.id, subscriptionId, responseBodies: 'false', limit: 1 } as const;
      return (await api.deliveries.list(query, at).page()).data[0] ?? null;
    },
    enabled: subscriptionId !== '',
  });
  const { data: all } = ofChannel;
  const isOnItsWay = before.data !== undefined && before.data !== null && isInProgress(before.data);
  const status = chosen.data?.status;
  const ask = (): void => {
    setError(undefined);
    setIsMissing(subscriptionId === '');
    if (subscriptionId === '') return;
    void act(
      async () => {
        onAsked(await api.messages.replay(message.id, { subscriptionId }, at));
        onClose();
        await refresh();
      },
      { told: 'Message sent again', onFailure: setError },
    );
  };
  const request = useRequestToggle(ask);
  const title = 'Send to another subscription';
  if (all === undefined || all.length === 0)
    return (
      <Dialog
        title={title}
        environment={environment}
        onClose={onClose}
        actions={
          all !== undefined && (
            <>
              <Button onClick={onClose}>Cancel</Button>
              <Button
                look="primary"
                render={
                  <HereLink to="/subscriptions/new" search={{ channel: message.channelId }}>
                    Create subscription
                  </HereLink>
                }
              >
                Create subscription
              </Button>
            </>
          )
        }
      >
        {all === undefined ? <NotRead of={ofChannel} /> : <p>The channel has no subscriptions yet.</p>}
      </Dialog>
    );
  return (
    <Dialog
      title={title}
      environment={environment}
      description="Sends this message once more, whatever the event types and the filter of the subscription say."
      onClose={onClose}
      onSubmit={ask}
      actions={
        <>
          {request.button}
          <DialogButtons
            go="Send message"
            onCancel={onClose}
            isDisabled={isOnItsWay}
            why="The message is already on its way to this subscription"
          />
        </>
      }
    >
      <FoundField
        kind="subscription"
        known={all.map(({ id, name }) => [id, name] as const)}
        isMore={all.length >= FULL}
        label="Subscription"
        value={subscriptionId}
        onChange={(id) => {
          setSubscriptionId(id);
          setIsMissing(false);
          setError(undefined);
        }}
        placeholder="Choose a subscription"
        error={isMissing ? 'Choose a subscription' : problemOf(error, 'subscriptionId')}
      />
      <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
        {before.data !== undefined && <Before of={before.data} />}
        {(status === 'paused' || status === 'disabled') && !isOnItsWay && (
          <Note kind="warning">The subscription is {status}, so the delivery will be on hold.</Note>
        )}
      </div>
      <FailureNote error={error} />
      {request.lines}
    </Dialog>
  );
}

/** What has become of the message at that subscription. */
function Before({ of: delivery }: { of: Delivery | null }) {
  if (delivery === null) return <p>Never sent to this subscription.</p>;
  return (
    <p>
      {isInProgress(delivery)
        ? 'The message is already on its way there. Retry its delivery to send it now:'
        : delivery.status === 'delivered'
          ? 'The endpoint already received this message and will receive it again with the same ID:'
          : 'The delivery there gave up. Its retry policy starts over:'}{' '}
      <HereLink to={`/deliveries/${delivery.id}`} className="mono text-accent hover:underline">
        {namedId(delivery.id)}
      </HereLink>
    </p>
  );
}

/** A delivery that `ReplayTo` has made, and what has become of it. */
export function ReplayOutcome({ of: { id, subscriptionId } }: { of: Delivery }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'delivery', id],
    queryFn: () => api.deliveries.get(id, at),
    refetchInterval: ({ state }) => (state.data === undefined || isInProgress(state.data) ? 1_500 : 10_000),
  });
  const state = found.data && stateOfDelivery(found.data);
  return (
    <p aria-live="polite" className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <span>
        Sent to <Name kind="subscription" id={subscriptionId} />
      </span>
      {state !== undefined && <Status tone={state.tone}>{state.word}</Status>}
      <HereLink to={`/deliveries/${id}`} className="mono text-accent hover:underline">
        {namedId(id)}
      </HereLink>
    </p>
  );
}
