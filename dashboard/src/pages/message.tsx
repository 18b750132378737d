import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Delivery, type Message } from '../api/client.ts';
import { usePathId } from '../lib/path-id.ts';
import { memberText } from '../lib/raw-json.ts';
import { useRefresh, useWatch } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { bytesText } from '../lib/units.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { JsonText } from '../parts/code.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { DeliveryState } from '../parts/delivery-state.tsx';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { LastAnswer } from '../parts/last-answer.tsx';
import { HereLink } from '../parts/link.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { Verdicts } from '../parts/verdicts.tsx';
import { MessageRuns } from './message-runs.tsx';
import { ReplayOutcome, ReplayTo } from './replay-to.tsx';
import { CancelButton } from './scheduled.tsx';

/** A message that waits for its time, or was taken back, was never published; an erased one has nothing left to send. */
const isSendable = ({ deliveryStatus, erasedAt }: Message): boolean =>
  erasedAt === undefined && deliveryStatus !== 'scheduled' && deliveryStatus !== 'cancelled';

export function MessagePage() {
  return <MessageView id={usePathId()} />;
}

/** One message: its payload as it was published, who got it, and who did not and why. */
export function MessageView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const watch = useWatch();
  const [isErasing, setIsErasing] = useState(false);
  const [isReplaying, setIsReplaying] = useState(false);
  const [asked, setAsked] = useState<Delivery>();
  const message = useQuery({
    queryKey: [path, 'message', id],
    queryFn: () => api.messages.get(id, at).withAnswer(),
    refetchInterval: ({ state: { data } }) =>
      watch({ seen: data?.text, isOver: data !== undefined && data.data.deliveryStatus !== 'pending' }),
  });
  if (message.data === undefined) return <Unread of={message} />;
  const { data: row, text } = message.data;
  const payload = memberText(text, 'payload');
  return (
    <>
      <Heading title={row.id} isMono isInPanel={isInPanel} />
      <p className="sentence">
        <State of={row.deliveryStatus} /> <Delivered id={id} />
        {row.deliveryStatus === 'unrouted' && (
          <>
            {t.messages.unrouted}{' '}
            {may('developer') && (
              <HereLink to="/subscriptions/new" search={{ channel: row.channelId, type: row.eventType }}>
                {t.more.subscribe}
              </HereLink>
            )}
          </>
        )}
      </p>
      {may('developer') && (
        <div className="buttons">
          <HereLink to="/messages/new" search={{ copy: row.id }} className="button">
            {t.messages.publishCopy}
          </HereLink>
          {isSendable(row) && (
            <button type="button" className="button" onClick={() => setIsReplaying(true)}>
              {t.replays.one.ask}
            </button>
          )}
          {row.deliveryStatus === 'scheduled' && <CancelButton id={id} />}
          {row.erasedAt === undefined && (
            <button type="button" className="button danger" onClick={() => setIsErasing(true)}>
              {t.messages.erase}
            </button>
          )}
        </div>
      )}
      {asked?.messageId === id && <ReplayOutcome of={asked} />}
      {isReplaying && <ReplayTo message={row} onAsked={setAsked} onClose={() => setIsReplaying(false)} />}
      <dl className="facts">
        <dt>{t.fields.eventType}</dt>
        <dd>{row.eventType}</dd>
        <dt>{t.fields.channel}</dt>
        <dd>
          <HereLink to={`/channels/${row.channelId}`}>
            <ThingName kind="channel" id={row.channelId} />
          </HereLink>
        </dd>
        <dt>{t.fields.published}</dt>
        <dd>
          <Time at={row.publishedAt} />
        </dd>
        {payload !== undefined && (
          <>
            <dt>{t.fields.size}</dt>
            <dd>{bytesText(new TextEncoder().encode(payload).length, t.units)}</dd>
          </>
        )}
        {row.deliverAt !== undefined && (
          <>
            <dt>{t.messages.deliverAt}</dt>
            <dd>
              <Time at={row.deliverAt} />
            </dd>
          </>
        )}
        {row.traceId !== undefined && (
          <>
            <dt>{t.messages.traceId}</dt>
            <dd>
              <span className="mono">{row.traceId}</span> <CopyButton text={row.traceId} label={t.messages.copyTrace} />
            </dd>
          </>
        )}
        {Object.entries(row.metadata ?? {}).map(([name, value]) => [
          <dt key={`${name} name`} className="mono">
            {name}
          </dt>,
          <dd key={name} className="mono">
            {value}
          </dd>,
        ])}
      </dl>
      <section className="section">
        <h2>{t.fields.payload}</h2>
        {payload === undefined ? (
          <p className="muted">{t.messages.noPayload}</p>
        ) : (
          <JsonText json={payload} label={t.fields.payload} root="payload" />
        )}
      </section>
      <Deliveries id={id} />
      <MessageRuns id={id} />
      {row.erasedAt === undefined && row.deliveryStatus !== 'cancelled' && <WhoDidNot of={row} />}
      {isErasing && (
        <Ask
          title={t.messages.eraseTitle}
          go={t.messages.erase}
          isDanger
          typed={row.id}
          onClose={() => setIsErasing(false)}
          onGo={() =>
            void act(
              async () => {
                await api.messages.delete(id, at);
                await refresh();
              },
              { told: t.messages.isErased },
            )
          }
        >
          <p>{t.messages.eraseWhy}</p>
        </Ask>
      )}
    </>
  );
}

function useDeliveries(id: string) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'deliveries-of', id],
    queryFn: () => api.deliveries.list({ messageId: id, limit: 100, responseBodies: 'false' }, at).page(),
    refetchInterval: 3_000,
  });
}

/** How many have got it, of how many. Not said of more than the hundred that are read. */
function Delivered({ id }: { id: string }) {
  const t = useTexts();
  const { data: rows = [], pagination } = useDeliveries(id).data ?? {};
  if (rows.length === 0 || pagination?.hasMore === true) return null;
  return <>{t.messages.arrivedAt(rows.filter(({ status }) => status === 'delivered').length, rows.length)} </>;
}

function Deliveries({ id }: { id: string }) {
  const t = useTexts();
  const deliveries = useDeliveries(id);
  const rows = deliveries.data?.data ?? [];
  return (
    <section className="section">
      <h2>{t.nav.names.deliveries}</h2>
      <Failure error={deliveries.error} />
      {rows.length === 0 && deliveries.isSuccess && <p className="muted">{t.messages.noDelivery}</p>}
      {rows.length > 0 && (
        <div className="wide">
          <table className="table">
            <thead>
              <tr>
                <th>{t.fields.status}</th>
                <th>{t.fields.subscription}</th>
                <th>{t.fields.attempts}</th>
                <th>{t.fields.lastAnswer}</th>
                <th>{t.fields.lastTry}</th>
                <th>{t.fields.nextTry}</th>
                <th>{t.fields.delivery}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>
                    <DeliveryState of={row} />
                  </td>
                  <td>
                    <HereLink to={`/subscriptions/${row.subscriptionId}`}>
                      <ThingName kind="subscription" id={row.subscriptionId} />
                    </HereLink>
                  </td>
                  <td>{row.attempts}</td>
                  <td>
                    <LastAnswer of={row} />
                  </td>
                  <td>{row.lastAttemptAt !== undefined && <Time at={row.lastAttemptAt} />}</td>
                  <td>{row.nextRetryAt !== undefined && <Time at={row.nextRetryAt} />}</td>
                  <td>
                    <HereLink to={`/deliveries/${row.id}`} className="mono">
                      {row.id}
                    </HereLink>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {deliveries.data?.pagination.hasMore === true && (
        <HereLink to="/deliveries" search={{ message: id }}>
          {t.list.allOfThem}
        </HereLink>
      )}
    </section>
  );
}

/**
 * Who did not get it, and why, by the subscriptions as they are now. For a message that waits for its time: who would get it. The service
 * asks a hundred subscriptions at most.
 */
function WhoDidNot({ of: { id, deliveryStatus } }: { of: Message }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'verdicts', id],
    queryFn: () => api.messages.getVerdicts(id, at),
  });
  const isWaiting = deliveryStatus === 'scheduled';
  const { subscriptions = [], isMore } = found.data ?? {};
  // The list above is read again and again, and a replay may have made a delivery since.
  const made = new Set(useDeliveries(id).data?.data.map(({ subscriptionId }) => subscriptionId));
  const shown = subscriptions.filter(
    ({ subscriptionId, deliveryId }) => isWaiting || (deliveryId === undefined && !made.has(subscriptionId)),
  );
  return (
    <section className="section">
      <h2>{isWaiting ? t.messages.whoWould : t.messages.whoDidNot}</h2>
      {found.data === undefined ? (
        <Unread of={found} />
      ) : subscriptions.length === 0 ? (
        <p className="muted">{t.messages.nobody}</p>
      ) : shown.length === 0 ? (
        <p className="muted">{isMore === true ? t.messages.firstHaveIt(subscriptions.length) : t.messages.allHaveIt}</p>
      ) : (
        <>
          <p className="muted">{t.messages.whoWouldWhy}</p>
          <Verdicts of={shown} first={isMore === true ? subscriptions.length : undefined} isPast={!isWaiting} />
        </>
      )}
    </section>
  );
}
