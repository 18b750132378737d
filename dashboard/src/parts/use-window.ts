import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';

type Window = {
  /** Rows that are in view, and a few beside them: from `first` to before `end`. */
  first: number;
  end: number;
  /** Scrolls no further than a row needs to be in view, below the head of the list. */
  show(index: number): void;
};

/** Rows that are kept beside those in view, on each side: a key or a turn of the wheel shows no gap. */
const BESIDE = 3;

/**
 * Which rows of a list are in view, where each has the same height, and a head stays above them. The place of a row follows
 * from its number, so that a list of 100,000 rows costs no more than one of a hundred.
 */
export function useWindow(box: RefObject<HTMLElement | null>, count: number, height: number, head = height): Window {
  const [{ first, end }, setRange] = useState({ first: 0, end: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = (): void => {
      const from = Math.max(0, Math.floor(element.scrollTop / height) - BESIDE);
      const to = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight - head) / height) + BESIDE);
      setRange((before) => (before.first === from && before.end === to ? before : { first: from, end: to }));
    };
    look();
    const seen = new ResizeObserver(look);
    seen.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      seen.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box, count, height, head]);
  const show = useCallback(
    (index: number) => {
      const element = box.current;
      if (element === null) return;
      const [top, bottom] = [index * height, (index + 1) * height + head - element.clientHeight];
      if (element.scrollTop > top) element.scrollTop = top;
      else if (element.scrollTop < bottom) element.scrollTop = bottom;
    },
    [box, height, head],
  );
  return { first, end: Math.min(end, count), show };
}
