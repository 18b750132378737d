import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useState } from 'react';

export type RowsGiven = {
  /** The element that scrolls. */
  box: RefObject<HTMLElement | null>;
  count: number;
  /** The row that must be in view. A new object shows it again. */
  shown?: { row: number } | undefined;
  children: (row: number) => ReactNode;
};

/** Up to so many rows are all there, and the search of the browser finds them. Of more, only those in view are elements. */
export const MOST_PLAIN = 120;

/** CodeRows of any height. The number of elements does not grow with the number of rows. */
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
  // The element that scrolls is around this one, and is known only after the first drawing.
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
