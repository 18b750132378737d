import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { api, type Change } from '../api/client.ts';
import { useHere } from '../lib/session.ts';

export type ChangeKind = Exclude<Change['kind'], 'everything'>;
type Listener = (kind: Change['kind']) => void;
type Listening = { isLive: boolean; listen: (listener: Listener) => () => void };

const ChangesContext = createContext<Listening | undefined>(undefined);

/** How long to wait before a refused stream is requested again. */
const AGAIN_MS = 30_000;
/** How long to collect changes: all that one poll of the service reports arrives together. */
const TOGETHER_MS = 50;

/**
 * Opens one stream of changes for the environment of a page while its tab is visible, because a browser has only six
 * connections per host for all of its tabs.
 */
export function ChangesProvider({ children }: { children: ReactNode }) {
  const { at } = useHere();
  const { appId, environment } = at.place;
  const [isLive, setIsLive] = useState(false);
  const listeners = useRef(new Set<Listener>());
  useEffect(() => {
    let open: AbortController | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const follow = async (signal: AbortSignal): Promise<void> => {
      try {
        for await (const { change } of api.changes.follow({ place: { appId, environment }, signal })) {
          setIsLive(true);
          for (const listener of listeners.current) listener(change.kind);
        }
      } catch {
        // Meanwhile lists poll.
        again = setTimeout(turn, AGAIN_MS);
      }
      if (open?.signal === signal) open = undefined;
      setIsLive(false);
    };
    const end = (): void => {
      clearTimeout(again);
      open?.abort();
      open = undefined;
      setIsLive(false);
    };
    const turn = (): void => {
      if (document.hidden) return end();
      if (open !== undefined) return;
      open = new AbortController();
      void follow(open.signal);
    };
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      end();
    };
  }, [appId, environment]);
  const value = useMemo(
    (): Listening => ({
      isLive,
      listen: (listener) => {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
    }),
    [isLive],
  );
  return <ChangesContext value={value}>{children}</ChangesContext>;
}

/**
 * Calls back when something of these kinds may have changed. Returns whether the stream is connected; if it is not, the
 * caller has to poll.
 */
export function useChanges(kinds: readonly ChangeKind[], onChange: () => void): boolean {
  const listening = useContext(ChangesContext);
  const latest = useRef(onChange);
  latest.current = onChange;
  const names = kinds.join(' ');
  const listen = listening?.listen;
  useEffect(() => {
    if (listen === undefined || names === '') return undefined;
    const wanted = new Set([...names.split(' '), 'everything']);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = listen((kind) => {
      if (!wanted.has(kind)) return;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current(), TOGETHER_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [listen, names]);
  return listening?.isLive === true && names !== '';
}
