import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useState } from 'react';

export type RowsGiven = {
  /** The element that scrolls. */
  box: RefObject<HTMLElement | null>;
  count: number;
  /** The row to scroll to. A new object scrolls again. */
  shown?: { row: number } | undefined;
  children: (row: number) => ReactNode;
};

/** Up to this many rows are all rendered, so that the browser's search finds them. Of more, only those in view are. */
export const MOST_PLAIN = 120;

/** Rows of code in any number. The number of DOM elements does not grow with it. */
export function CodeRows({ height = 18, ...given }: RowsGiven & { height?: number }) {
  return given.count <= MOST_PLAIN ? <PlainRows {...given} /> : <RowsInView {...given} height={height} />;
}

function PlainRows({ box, count, shown, children }: RowsGiven) {
  useEffect(() => {
    if (shown === undefined) return;
    box.current?.querySelectorAll('[data-row]')[shown.row]?.scrollIntoView({ block: 'nearest' });
  }, [box, shown]);
  return (
    <div>
      {Array.from({ length: count }, (_, row) => (
        <div key={row} data-row={row}>
          {children(row)}
        </div>
      ))}
    </div>
  );
}

function RowsInView({ box, count, shown, children, height }: RowsGiven & { height: number }) {
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 6,
  });
  // The scrolling element is an ancestor and is known only after the first render.
  const [, setIsThere] = useState(false);
  useLayoutEffect(() => setIsThere(true), []);
  useLayoutEffect(() => {
    if (shown !== undefined) rows.scrollToIndex(shown.row, { align: 'center' });
  }, [rows, shown]);
  const inView = rows.getVirtualItems();
  return (
    <div className="relative" style={{ height: rows.getTotalSize() }}>
      <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${inView[0]?.start ?? 0}px)` }}>
        {inView.map(({ index, key }) => (
          <div key={key} data-index={index} ref={rows.measureElement}>
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
