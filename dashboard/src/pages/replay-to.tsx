import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Delivery, type Message, type Subscription } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { DeliveryState } from '../parts/delivery-state.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { FoundField } from '../parts/found-choice.tsx';
import { HereLink } from '../parts/link.tsx';
import { Unread } from '../parts/unread.tsx';
import { FULL } from '../parts/use-found.ts';

const isUnderWay = ({ status }: Delivery): boolean => status === 'pending' || status === 'retrying';

/** Asks which subscription of its channel is to get a message, and says what became of it there so far. */
export function ReplayTo({
  message,
  onAsked,
  onClose,
}: {
  message: Pick<Message, 'id' | 'channelId'>;
  onAsked: (delivery: Delivery) => void;
  onClose: () => void;
}) {
  const t = useTexts();
  const { at, path } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [subscriptionId, setSubscriptionId] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [error, setError] = useState<unknown>();
  const ofChannel = useQuery({
    queryKey: [path, 'subscriptions-of-channel', message.channelId],
    queryFn: async () => (await api.subscriptions.list({ channelId: message.channelId, limit: FULL }, at).page()).data,
  });
  const chosen = useSubscription(subscriptionId);
  const before = useQuery({
    queryKey: [path, 'delivery-to', message.id, subscriptionId],
    queryFn: async () => {
      const query = { messageId: message.id, subscriptionId, responseBodies: 'false', limit: 1 } as const;
      return (await api.deliveries.list(query, at).page()).data[0] ?? null;
    },
    enabled: subscriptionId !== '',
  });
  const { data: all } = ofChannel;
  const isOnItsWay = before.data !== undefined && before.data !== null && isUnderWay(before.data);
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
      { told: t.deadLetters.replayAsked, onFailure: setError },
    );
  };
  return (
    <Dialog title={t.replays.one.title} onClose={onClose}>
      {all === undefined ? (
        <Unread of={ofChannel} />
      ) : all.length === 0 ? (
        <div className="form">
          <p>{t.messages.nobody}</p>
          <div className="buttons">
            <HereLink to="/subscriptions/new" search={{ channel: message.channelId }} className="button main">
              {t.more.subscribe}
            </HereLink>
            <button type="button" className="button plain" onClick={onClose}>
              {t.common.cancel}
            </button>
          </div>
        </div>
      ) : (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            ask();
          }}
        >
          <p className="muted">{t.replays.one.why}</p>
          <FoundField
            kind="subscription"
            isMore={all.length >= FULL}
            label={t.fields.subscription}
            value={subscriptionId}
            onChange={(id) => {
              setSubscriptionId(id);
              setIsMissing(false);
              setError(undefined);
            }}
            options={all.map(({ id, name }) => [id, name] as const)}
            unset={t.replays.one.choose}
            problem={isMissing ? t.replays.one.choose : problemOf(error, 'subscriptionId')}
          />
          <div className="stack" aria-live="polite">
            {before.data !== undefined && <Before of={before.data} />}
            {chosen.data !== undefined && !isOnItsWay && <Waits of={chosen.data} />}
          </div>
          <Failure error={error} />
          <FormButtons go={t.replays.one.go} onCancel={onClose} isDisabled={isOnItsWay} />
        </form>
      )}
    </Dialog>
  );
}

/** Says what has become of the message at that subscription. */
function Before({ of: delivery }: { of: Delivery | null }) {
  const t = useTexts();
  const { never, again, givenUp, underWay } = t.replays.one;
  if (delivery === null) return <p>{never}</p>;
  return (
    <p>
      {isUnderWay(delivery) ? underWay : delivery.status === 'delivered' ? again : givenUp}{' '}
      <HereLink to={`/deliveries/${delivery.id}`} className="mono">
        {delivery.id}
      </HereLink>
    </p>
  );
}

function Waits({ of: { status } }: { of: Subscription }) {
  const t = useTexts();
  return status === 'active' ? null : <p>{t.replays.one.waits(t.held[status])}</p>;
}

function useSubscription(id: string) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'subscription', id],
    queryFn: () => api.subscriptions.get(id, at),
    enabled: id !== '',
    retry: false,
  });
}

/** A delivery that a replay has made due, and what has become of it. */
export function ReplayOutcome({ of: { id, subscriptionId } }: { of: Delivery }) {
  const t = useTexts();
  const { at, path } = useHere();
  const subscription = useSubscription(subscriptionId);
  const delivery = useQuery({
    queryKey: [path, 'delivery', id],
    queryFn: () => api.deliveries.get(id, at),
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data) ? 1_500 : 10_000),
  });
  return (
    <p className="sentence" aria-live="polite">
      {t.replays.one.to(subscription.data?.name ?? subscriptionId)}{' '}
      {delivery.data !== undefined && <DeliveryState of={delivery.data} />}{' '}
      <HereLink to={`/deliveries/${id}`} className="mono">
        {id}
      </HereLink>
    </p>
  );
}
