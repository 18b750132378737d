import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Backlog, type Subscription } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/times.ts';
import { Checklist } from '../parts/checklist.tsx';
import { DeliveryState } from '../parts/delivery-state.tsx';
import { Figures } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { Marks } from '../parts/marks.tsx';
import { State } from '../parts/state.tsx';
import { SubscriptionState } from '../parts/subscription-state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { useChannels } from '../parts/use-names.ts';

const EVERY_MS = 3_000;

/** All that needs a person first, then the newest traffic; and for a new place the way to its first delivery. */
export function OverviewPage() {
  const t = useTexts();
  const { at, path, environment, app } = useHere();
  const found = useQuery({
    queryKey: [path, 'overview'],
    refetchInterval: EVERY_MS,
    queryFn: async () => {
      const [subscriptions, messages, failed, left] = await Promise.all([
        api.subscriptions.list({ limit: 100 }, at).page(),
        api.messages.listAll({ limit: 8 }, at).page(),
        api.deliveries.list({ status: 'retrying', responseBodies: 'false', limit: 8 }, at).page(),
        api.stats.getBacklog(at),
      ]);
      return { subscriptions: subscriptions.data, messages: messages.data, retrying: failed.data, left };
    },
  });
  const channels = useChannels();
  if (found.data === undefined) return <Unread of={found} />;
  const { subscriptions, messages, retrying, left } = found.data;
  const troubled = subscriptions.filter(
    (row) => row.status === 'disabled' || row.circuit.state !== 'closed' || row.secretUnreadableSince !== undefined,
  );
  return (
    <>
      <Heading title={t.nav.names.overview} />
      <p className="muted">
        {app.name} · {t.nav[environment]}
      </p>
      <Checklist channels={channels.all} subscriptions={subscriptions} messages={messages} />
      <section className="section">
        <h2>{t.overview.attention}</h2>
        {troubled.length === 0 && left.openDeadLetters.count === 0 && (
          <p className="box">
            <State of="delivered" word={t.overview.allWell} />
          </p>
        )}
        {left.openDeadLetters.count > 0 && (
          <p className="box">
            <State of="open" word={t.overview.openLetters(countText(left.openDeadLetters))} />{' '}
            <HereLink to="/dead-letters">{t.overview.look}</HereLink>
          </p>
        )}
        {troubled.map((row) => (
          <Troubled key={row.id} row={row} />
        ))}
        <Left of={left} />
      </section>
      {messages.length > 0 && <Figures of={{}} />}
      <div className="columns">
        <Recent title={t.overview.lastMessages} to="/messages">
          {messages.map((row) => (
            <tr key={row.id}>
              <td>
                <State of={row.deliveryStatus} />
              </td>
              <td>
                <HereLink to={`/messages/${row.id}`}>{row.eventType}</HereLink>
                <div className="muted">{channels.nameOf(row.channelId)}</div>
              </td>
              <td>
                <Time at={row.publishedAt} />
              </td>
            </tr>
          ))}
        </Recent>
        <Recent title={t.overview.retrying} to="/deliveries" search={{ status: 'retrying' }}>
          {retrying.map((row) => (
            <tr key={row.id}>
              <td>
                <DeliveryState of={row} />
              </td>
              <td>
                <HereLink to={`/deliveries/${row.id}`} className="mono">
                  {row.id}
                </HereLink>
              </td>
              <td>{row.response?.status ?? (row.error === undefined ? '' : t.errorClasses[row.error.class])}</td>
              <td>{row.nextRetryAt !== undefined && <Time at={row.nextRetryAt} />}</td>
            </tr>
          ))}
        </Recent>
      </div>
      <Marks />
    </>
  );
}

const countText = ({ count, isMore }: { count: number; isMore: boolean }): string => `${count}${isMore ? '+' : ''}`;

/** Deliveries that are under way, and for how long the oldest has been. */
function Left({ of: { pending, retrying } }: { of: Backlog }) {
  const t = useTexts();
  const oldest = [pending.oldestAt, retrying.oldestAt].filter((each) => each !== undefined).toSorted()[0];
  return (
    <p className="box">
      <HereLink to="/deliveries" search={{ status: 'pending' }}>
        {t.figures.waiting}: {countText(pending)}
      </HereLink>
      {' · '}
      <HereLink to="/deliveries" search={{ status: 'retrying' }}>
        {t.figures.retrying(countText(retrying))}
      </HereLink>
      {' · '}
      <span className="muted">
        {oldest === undefined
          ? t.figures.nothingWaits
          : t.figures.oldest(durationText(Math.max(0, Date.now() - Date.parse(oldest))))}
      </span>
    </p>
  );
}

function Troubled({ row }: { row: Subscription }) {
  const t = useTexts();
  return (
    <p className="box">
      <SubscriptionState of={row} /> <HereLink to={`/subscriptions/${row.id}`}>{row.name}</HereLink>{' '}
      <span className="muted">{row.status === 'disabled' ? t.subscriptions.isDisabled : t.subscriptions.isOpen}</span>
    </p>
  );
}

function Recent({
  title,
  to,
  search = {},
  children,
}: {
  title: string;
  to: string;
  search?: Record<string, string>;
  children: ReactNode[];
}) {
  const t = useTexts();
  return (
    <section className="box section">
      <div className="heading">
        <h2>{title}</h2>
        <HereLink to={to} search={search}>
          {t.overview.all}
        </HereLink>
      </div>
      {children.length === 0 ? (
        <p className="muted">{t.overview.nothing}</p>
      ) : (
        <div className="wide">
          <table className="table">
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}
