import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { AskButton } from '../parts/ask-button.tsx';
import { HereLink } from '../parts/link.tsx';
import { Time, Until } from '../parts/time.tsx';

/** So many of the soonest are shown. */
const SOONEST = 50;

/** Messages of a channel that wait for their time, the soonest first. Nothing where none does. */
export function ScheduledMessages({ channelId }: { channelId: string }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const found = useQuery({
    queryKey: [path, 'scheduled', channelId],
    queryFn: () => api.messages.listScheduled(channelId, { payloads: 'false', limit: SOONEST }, at).page(),
    refetchInterval: 3_000,
  });
  const { data: rows = [], pagination } = found.data ?? {};
  if (rows.length === 0) return null;
  return (
    <section className="section">
      <h2>{t.messages.scheduled}</h2>
      <div className="box wide">
        <table className="table">
          <thead>
            <tr>
              <th>{t.messages.publishedAt}</th>
              <th>{t.fields.eventType}</th>
              <th>{t.fields.message}</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, eventType, publishedAt }) => (
              <tr key={id}>
                <td>
                  <Time at={publishedAt} /> <span className="muted">{t.deliveries.in}</span> <Until at={publishedAt} />
                </td>
                <td>{eventType}</td>
                <td>
                  <HereLink to={`/messages/${id}`} className="mono">
                    {id}
                  </HereLink>
                </td>
                <td>{may('developer') && <CancelButton id={id} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pagination?.hasMore === true && <p className="muted">{t.messages.soonest(SOONEST)}</p>}
    </section>
  );
}

/** Takes back a message before its time. */
function CancelButton({ id }: { id: string }) {
  const t = useTexts();
  const { at } = useHere();
  const refresh = useRefresh();
  return (
    <AskButton
      label={t.messages.cancel}
      title={t.ask.cancelMessageTitle}
      why={t.ask.cancelMessageWhy}
      name={id}
      told={t.messages.cancelled}
      what={async () => {
        await api.messages.cancel(id, at);
        await refresh();
      }}
    />
  );
}
