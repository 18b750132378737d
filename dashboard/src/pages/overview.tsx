import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/client.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Attention } from '../parts/attention.tsx';
import { Checklist } from '../parts/checklist.tsx';
import { DeliveryState } from '../parts/delivery-state.tsx';
import { Figures } from '../parts/figures.tsx';
import { FoundChoice } from '../parts/found-choice.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { Marks } from '../parts/marks.tsx';
import { PasskeyOffer } from '../parts/passkey-offer.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { useChannels, useSubscriptions } from '../parts/use-names.ts';

const EVERY_MS = 3_000;

/** All that needs a person first, then the newest traffic; and for a new place the way to its first delivery. */
export function OverviewPage() {
  const t = useTexts();
  const { at, path, environment, app } = useHere();
  const [search, change] = useAddress();
  const channelId = search['channel'];
  const messages = useQuery({
    queryKey: [path, 'last-messages', channelId],
    placeholderData: (before) => before,
    refetchInterval: EVERY_MS,
    queryFn: async () => (await api.messages.listAll({ channelId, limit: 8 }, at).page()).data,
  });
  const channels = useChannels();
  const subscriptions = useSubscriptions();
  const ofChannel = channelId === undefined ? {} : { channel: channelId };
  return (
    <>
      <Heading title={t.nav.names.overview}>
        {channels.isFull && (
          <FoundChoice
            kind="channel"
            label={t.fields.channel}
            known={channels.choices}
            value={channelId ?? ''}
            onChange={(channel) => change({ channel })}
            placeholder={t.list.allStates}
          />
        )}
        {!channels.isFull && (channelId !== undefined || channels.all.length > 1) && (
          <label>
            {t.fields.channel}{' '}
            <select
              className="input"
              value={channelId ?? ''}
              onChange={(event) => change({ channel: event.target.value })}
            >
              <option value="">{t.list.allStates}</option>
              {channelId !== undefined && !channels.all.some(({ id }) => id === channelId) && (
                <option value={channelId}>{channelId}</option>
              )}
              {channels.all.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </Heading>
      <p className="muted">
        {app.name} · {t.nav[environment]}
      </p>
      {channelId === undefined && messages.data !== undefined && !channels.isPending && !subscriptions.isPending && (
        <Checklist channels={channels.all} subscriptions={subscriptions.all} messages={messages.data} />
      )}
      <PasskeyOffer />
      <Attention channelId={channelId} />
      {(messages.data ?? []).length > 0 && <Figures of={channelId === undefined ? {} : { channelId }} />}
      <div className="columns">
        <Recent of={messages} title={t.overview.lastMessages} to="/messages" search={ofChannel}>
          {(messages.data ?? []).map((row) => (
            <tr key={row.id}>
              <td>
                <State of={row.deliveryStatus} />
              </td>
              <td>
                <HereLink to={`/messages/${row.id}`}>{row.eventType}</HereLink>
                <div className="muted">
                  <ThingName kind="channel" id={row.channelId} />
                </div>
              </td>
              <td>
                <Time at={row.publishedAt} />
              </td>
            </tr>
          ))}
        </Recent>
        <Retrying channelId={channelId} />
      </div>
      <Marks />
    </>
  );
}

/** Deliveries whose tries have failed so far. */
function Retrying({ channelId }: { channelId: string | undefined }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'retrying', channelId],
    refetchInterval: EVERY_MS,
    queryFn: async () =>
      (await api.deliveries.list({ status: 'retrying', channelId, responseBodies: 'false', limit: 8 }, at).page()).data,
  });
  return (
    <Recent
      of={found}
      title={t.overview.retrying}
      to="/deliveries"
      search={{ status: 'retrying', ...(channelId !== undefined && { channel: channelId }) }}
    >
      {(found.data ?? []).map((row) => (
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
  );
}

function Recent({
  of: query,
  title,
  to,
  search = {},
  children,
}: {
  of: UseQueryResult<unknown>;
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
      {query.data === undefined ? (
        <Unread of={query} />
      ) : children.length === 0 ? (
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
