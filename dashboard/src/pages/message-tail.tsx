import { useEffect, useRef, useState } from 'react';
import { api, type StreamedMessage } from '../api/client.ts';
import { memberText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { ChannelChoice, useChosenChannel } from '../parts/channel-choice.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { HereLink } from '../parts/link.tsx';
import { usePaused } from '../parts/pause.tsx';
import { Time } from '../parts/time.tsx';

/** So many of the newest are kept: a tail is looked at, and the list has the others. */
const KEPT = 100;
/** Letters of a payload that are shown. */
const SHOWN = 200;

type Tail = { messages: readonly StreamedMessage[]; seen: number; error: unknown; isOpen: boolean };
const EMPTY: Tail = { messages: [], seen: 0, error: undefined, isOpen: false };

/**
 * The newest messages of a channel from now on, as its stream gives them. Hidden tabs and paused ones keep their place and read nothing.
 */
function useTail(channelId: string | undefined, isPaused: boolean): Tail {
  const { at } = useHere();
  const { appId, environment } = at.place;
  const [tail, setTail] = useState<Tail>(EMPTY);
  // Where the tail has come to: it goes on there after a pause.
  const reached = useRef<{ since: Date; lastEventId?: string }>({ since: new Date() });
  useEffect(() => {
    reached.current = { since: new Date() };
    setTail(EMPTY);
  }, [channelId]);
  useEffect(() => {
    if (channelId === undefined || isPaused) return undefined;
    let open: AbortController | undefined;
    const follow = async (signal: AbortSignal): Promise<void> => {
      const { since, lastEventId } = reached.current;
      const options = { place: { appId, environment }, signal, ...(lastEventId !== undefined && { lastEventId }) };
      try {
        setTail((before) => ({ ...before, error: undefined, isOpen: true }));
        for await (const streamed of api.messages.stream(
          channelId,
          lastEventId === undefined ? { since } : {},
          options,
        )) {
          reached.current = { since, lastEventId: streamed.eventId };
          setTail(({ messages, seen, ...others }) => ({
            ...others,
            messages: [streamed, ...messages.slice(0, KEPT - 1)],
            seen: seen + 1,
          }));
        }
      } catch (error) {
        setTail((before) => ({ ...before, error, isOpen: false }));
      }
    };
    const turn = (): void => {
      open?.abort();
      open = undefined;
      if (document.hidden) return;
      open = new AbortController();
      void follow(open.signal);
    };
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      open?.abort();
    };
  }, [channelId, isPaused, appId, environment]);
  return tail;
}

/** Messages of a channel as they are published, with their payloads. */
export function MessageTail() {
  const t = useTexts();
  const channelId = useChosenChannel();
  const isPaused = usePaused();
  const { messages, seen, error, isOpen } = useTail(channelId, isPaused);
  return (
    <div className="stack">
      <div className="filters">
        <ChannelChoice />
        <span className="muted" role="status">
          {isOpen && !isPaused ? t.tail.listening(seen) : t.tail.paused(seen)}
        </span>
      </div>
      <Failure error={error} />
      {messages.length === 0 ? (
        <Empty title={t.tail.none}>
          <p>{t.tail.noneWhy}</p>
          <FirstLine of="message" channelId={channelId} />
        </Empty>
      ) : (
        <div className="box wide">
          <table className="table tail">
            <thead>
              <tr>
                <th>{t.fields.published}</th>
                <th>{t.fields.eventType}</th>
                <th>{t.fields.message}</th>
                <th>{t.fields.payload}</th>
              </tr>
            </thead>
            <tbody>
              {messages.map(({ eventId, message, text }) => (
                <tr key={eventId}>
                  <td>
                    <Time at={message.publishedAt} />
                  </td>
                  <td>{message.eventType}</td>
                  <td>
                    <HereLink to={`/messages/${message.id}`} className="mono">
                      {message.id}
                    </HereLink>
                  </td>
                  <td className="mono">
                    <div className="cut">{memberText(text, 'payload')?.slice(0, SHOWN)}</div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {seen > KEPT && <p className="muted">{t.tail.newest(KEPT)}</p>}
    </div>
  );
}
