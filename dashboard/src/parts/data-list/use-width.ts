import { type RefObject, useLayoutEffect, useState } from 'react';

/** Returns the width of an element in CSS pixels; 0 before it is mounted. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const shown = element.current?.firstElementChild;
    if (!(shown instanceof HTMLElement)) return undefined;
    const look = (): void => setWidth(shown.clientWidth);
    look();
    const seen = new ResizeObserver(look);
    seen.observe(shown);
    return () => seen.disconnect();
  }, [element]);
  return width;
}
