import { useEffect, useRef, useState } from 'react';
import { api, type StreamedMessage } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';

/** How many of the newest messages are kept: a live view is only watched, and the list has the others. */
export const KEPT_ROWS = 100;

type Tail = { messages: readonly StreamedMessage[]; seen: number; error: unknown; isOpen: boolean };
const EMPTY: Tail = { messages: [], seen: 0, error: undefined, isOpen: false };

/**
 * Returns the newest messages of a channel from now on, as its stream sends them. Hidden and paused tabs keep their
 * position and load nothing.
 */
export function useTail(channelId: string | undefined, isPaused: boolean): Tail {
  const { at } = useHere();
  const { appId, environment } = at.place;
  const [tail, setTail] = useState<Tail>(EMPTY);
  // The position of the tail, from which it continues after a pause.
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
            messages: [streamed, ...messages.slice(0, KEPT_ROWS - 1)],
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
