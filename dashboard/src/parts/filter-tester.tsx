import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { api } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from './failure.tsx';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';
import { Waiting } from './waiting.tsx';

/** So many of the newest messages of a channel are asked: one request each. */
const MESSAGES = 20;

/** A filter, tried on real messages while it is written. It asks the service, so that it can never decide otherwise than a delivery would. */
export function FilterTester({ channelId, filter: written }: { channelId: string; filter: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const filter = useDeferredValue(written);
  const messages = useQuery({
    queryKey: [path, 'filter-messages', channelId],
    queryFn: async () => (await api.messages.listAll({ channelId, limit: MESSAGES }, at).page()).data,
  });
  const verdicts = useQuery({
    queryKey: [path, 'filter-verdicts', channelId, filter, messages.data?.[0]?.id],
    queryFn: async ({ signal }) => {
      // A pause of the writer, before anything is asked.
      await new Promise((resolve) => setTimeout(resolve, 400));
      const found = [];
      for (const { id, eventType } of messages.data ?? []) {
        signal.throwIfAborted();
        const { filter: verdict } = await api.messages.dryRun(
          channelId,
          { messageId: id, filter },
          { limit: 1 },
          { ...at, signal },
        );
        found.push({ id, eventType, verdict });
      }
      return found;
    },
    enabled: messages.isSuccess && messages.data.length > 0 && filter.trim() !== '',
    retry: false,
    placeholderData: (before) => before,
  });
  if (messages.data?.length === 0) return <p className="muted">{t.subscriptions.noMessages}</p>;
  return (
    <div className="box stack" aria-live="polite">
      <h3>{t.subscriptions.tested}</h3>
      <Failure error={verdicts.error} />
      {verdicts.isPending && <Waiting />}
      {verdicts.error === null && (
        <ul>
          {verdicts.data?.map(({ id, eventType, verdict }) => (
            <li key={id} className="cut">
              <State
                of={verdict?.error !== undefined ? 'retrying' : verdict?.matches === true ? 'delivered' : 'pending'}
                word={
                  verdict?.error !== undefined
                    ? t.subscriptions.fails
                    : verdict?.matches === true
                      ? t.subscriptions.matches
                      : t.subscriptions.noMatch
                }
              />{' '}
              {eventType}{' '}
              <HereLink to={`/messages/${id}`} className="mono">
                {id}
              </HereLink>{' '}
              <span className="muted">{verdict?.error}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
