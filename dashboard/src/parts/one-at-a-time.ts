import { useRef, useState } from 'react';

/**
 * Runs one action at a time. Another one requested meanwhile is dropped, because a key or a second click may come
 * before React renders again.
 */
export function useOneAtATime(): { isAtWork: boolean; run: (act: () => Promise<unknown>) => void } {
  const [isAtWork, setIsAtWork] = useState(false);
  const isTaken = useRef(false);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    if (isTaken.current) return;
    isTaken.current = true;
    setIsAtWork(true);
    try {
      await act();
    } finally {
      isTaken.current = false;
      setIsAtWork(false);
    }
  };
  return { isAtWork, run: (act) => void run(act) };
}
