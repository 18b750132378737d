import { useEffect, useState } from 'react';

/** Whether the window is narrower than that. */
export function useIsNarrower(than: number): boolean {
  const query = `(width < ${than}px)`;
  const [is, setIs] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const look = (): void => setIs(media.matches);
    look();
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [query]);
  return is;
}
