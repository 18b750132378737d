import { focusManager } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useKeys } from '../lib/keys.ts';

type Pause = { isPaused: boolean; toggle: () => void };
const PauseContext = createContext<Pause>({ isPaused: false, toggle: () => undefined });

/** Whether the reader has stopped the page: nothing of it changes by itself (WCAG 2.2.2). */
export const usePaused = (): boolean => useContext(PauseContext).isPaused;

/** Lets its reader stop a page, with the key l too. Another page goes on. */
export function PauseProvider({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const [stopped, setStopped] = useState<string>();
  const isPaused = stopped === pathname;
  const toggle = (): void => setStopped(isPaused ? undefined : pathname);
  // All questions wait, as in a tab that nobody sees.
  useEffect(() => {
    if (!isPaused) return undefined;
    focusManager.setFocused(false);
    return () => focusManager.setFocused(undefined);
  }, [isPaused]);
  useKeys({ l: toggle });
  return <PauseContext value={{ isPaused, toggle }}>{children}</PauseContext>;
}

/** Whether the page is stopped, and the switch for it. */
export const usePause = (): { isPaused: boolean; toggle: () => void } => useContext(PauseContext);
