import { focusManager } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useKeys } from '../lib/keys.ts';

type Pause = { isPaused: boolean; toggle: () => void };
const PauseContext = createContext<Pause>({ isPaused: false, toggle: () => undefined });

/** Whether the user has paused the page, so that nothing on it changes by itself (WCAG 2.2.2). */
export const usePaused = (): boolean => useContext(PauseContext).isPaused;

/** Lets the user pause a page, also with the key l. Opening another page resumes updates. */
export function PauseProvider({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const [stopped, setStopped] = useState<string>();
  const isPaused = stopped === pathname;
  const toggle = (): void => setStopped(isPaused ? undefined : pathname);
  // All queries wait, as in a hidden tab.
  useEffect(() => {
    if (!isPaused) return undefined;
    focusManager.setFocused(false);
    return () => focusManager.setFocused(undefined);
  }, [isPaused]);
  useKeys({ l: toggle });
  return <PauseContext value={{ isPaused, toggle }}>{children}</PauseContext>;
}

/** Returns whether the page is paused, and the function that toggles it. */
export const usePause = (): { isPaused: boolean; toggle: () => void } => useContext(PauseContext);
