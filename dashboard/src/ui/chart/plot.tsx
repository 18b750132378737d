import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { ChartCanvas, type Drawing } from './canvas.ts';
import { useTheme } from './colours.ts';
import './plot.css';

/**
 * The canvas of a chart, as large as its container. The elements on top of it give screen readers the same information.
 */
export function Plot({ drawing, width, height }: { drawing: Drawing; width: number; height: number }) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<ChartCanvas>(undefined);
  const theme = useTheme();
  useLayoutEffect(
    () => () => {
      canvas.current?.destroy();
      canvas.current = undefined;
    },
    [],
  );
  useLayoutEffect(() => {
    if (place.current === null || width === 0) return;
    canvas.current ??= new ChartCanvas(place.current, drawing, theme);
    canvas.current.show(drawing, { width, height }, theme);
  }, [drawing, width, height, theme]);
  return <div ref={place} aria-hidden="true" className="absolute inset-0 overflow-hidden" />;
}

/** The width of an element in whole pixels; 0 before it is known. */
export function useBoxWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return undefined;
    const measure = (): void => setWidth(Math.floor(box.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
