import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';
import { boundedWidth, LEAST_WIDTH, mostWidth, USUAL_WIDTH, widthByKey } from '../lib/panel-width.ts';
import { useTexts } from '../lib/texts.ts';

/** Without its scroll bar, since the panel stands beside that. */
const windowWidthNow = (): number => document.documentElement.clientWidth;

/** The width of the panel that its person has chosen, within what the window has room for. The browser keeps it. */
export function usePanelWidth() {
  const [wanted, setWanted] = useState(() => Number(kept('panel') ?? USUAL_WIDTH) || USUAL_WIDTH);
  const [windowWidth, setWindowWidth] = useState(windowWidthNow);
  useEffect(() => {
    const look = (): void => setWindowWidth(windowWidthNow());
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, []);
  const choose = (width: number): void => {
    setWanted(width);
    keep('panel', String(width));
  };
  return { width: boundedWidth(wanted, windowWidth), windowWidth, choose };
}

type Given = ReturnType<typeof usePanelWidth> & { panelId: string };

/** The border between a list and its panel. The mouse drags it, and the arrow keys move it. None where the panel fills the window. */
export function PanelBorder({ width, windowWidth, choose, panelId }: Given) {
  const t = useTexts();
  // From where it was taken to the edge of the panel, in CSS pixels.
  const grip = useRef(0);
  if (mostWidth(windowWidth) <= LEAST_WIDTH) return null;
  const drag = (event: PointerEvent): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const now = windowWidthNow();
    choose(boundedWidth(now - event.clientX - grip.current, now));
  };
  return (
    <div
      role="separator"
      className="panel-border"
      tabIndex={0}
      aria-label={t.list.panelWidth}
      aria-controls={panelId}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={mostWidth(windowWidth)}
      aria-valuetext={`${width} px`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        grip.current = windowWidthNow() - width - event.clientX;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onDoubleClick={() => choose(boundedWidth(USUAL_WIDTH, windowWidth))}
      onKeyDown={(event) => {
        const next = widthByKey(event.key, width, windowWidth);
        if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        choose(next);
      }}
    />
  );
}
