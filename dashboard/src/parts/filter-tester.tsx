import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { api } from '../api/client.ts';
import { memberText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { failureText } from './failure.tsx';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';
import { Waiting } from './waiting.tsx';

/** So many of the newest messages of a channel are asked, in one request. */
const MESSAGES = 50;
/** So many of them show the values that the filter names. Each payload is read once, however often the filter changes. */
const WITH_VALUES = 20;
/** A larger payload is not read for its values. */
const MOST_READ = 65_536;
/** Values that a filter names, such as payload.order.total. */
const NAMED = /\bpayload(?:\.[A-Za-z_]\w*)+/g;
/** Longest value that is shown. */
const MOST_SHOWN = 40;

/** The value of the payload where the filter looks, as it is written there, digit for digit. */
function valuesOf(payload: string | undefined, named: readonly string[]): string {
  if (payload === undefined) return '';
  return named
    .map((name) => {
      const value = name
        .split('.')
        .slice(1)
        .reduce<string | undefined>((text, part) => (text === undefined ? undefined : memberText(text, part)), payload);
      const shown = value === undefined || value.length <= MOST_SHOWN ? value : `${value.slice(0, MOST_SHOWN)}…`;
      return `${name}: ${shown ?? '–'}`;
    })
    .join(', ');
}

/** A filter, tried on real messages while it is written. The service decides, and never otherwise than for a delivery. */
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
      signal.throwIfAborted();
      return api.messages.tryFilter(channelId, { filter, limit: MESSAGES }, { ...at, signal });
    },
    enabled: messages.isSuccess && messages.data.length > 0 && filter.trim() !== '',
    retry: false,
    placeholderData: (before) => before,
  });
  const ids = (messages.data ?? [])
    .slice(0, WITH_VALUES)
    .filter(({ payloadBytes = Infinity }) => payloadBytes <= MOST_READ)
    .map(({ id }) => id);
  const payloads = useQuery({
    queryKey: [path, 'filter-payloads', ids],
    queryFn: async () => {
      const read = ids.map(async (id) => {
        const { text } = await api.messages.get(id, at).withAnswer();
        return [id, memberText(text, 'payload')] as const;
      });
      return new Map(await Promise.all(read));
    },
    enabled: ids.length > 0 && filter.trim() !== '',
    staleTime: Infinity,
    retry: false,
  });
  const named = [...new Set(filter.match(NAMED) ?? [])];
  if (messages.data?.length === 0) return <p className="muted">{t.subscriptions.noMessages}</p>;
  return (
    <div className="box stack" aria-live="polite">
      <h3>{t.subscriptions.tested}</h3>
      {/* A filter that is half written is no failure of a request: its reason is enough. */}
      {verdicts.error !== null && <p className="problem">{failureText(verdicts.error, t)}</p>}
      {verdicts.error === null && verdicts.data !== undefined && (
        <p>{t.subscriptions.testedCount(verdicts.data.matched, verdicts.data.messages.length)}</p>
      )}
      {verdicts.isPending && <Waiting />}
      {verdicts.error === null && (
        <ul className="tried">
          {verdicts.data?.messages.map(({ messageId, eventType, matches, error }) => (
            <li key={messageId} className="cut">
              <State
                of={error !== undefined ? 'retrying' : matches ? 'delivered' : 'pending'}
                word={
                  error !== undefined
                    ? t.subscriptions.fails
                    : matches
                      ? t.subscriptions.matches
                      : t.subscriptions.noMatch
                }
              />{' '}
              {eventType}{' '}
              <HereLink to={`/messages/${messageId}`} className="mono">
                {messageId}
              </HereLink>{' '}
              <span className="muted">{error ?? valuesOf(payloads.data?.get(messageId), named)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
