import clsx from 'clsx';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';

const [LEAST, STEP] = [360, 24];
/** Largest part of the window. */
const MOST_PART = 0.6;
const most = (): number => Math.max(LEAST, Math.round(window.innerWidth * MOST_PART));
const within = (width: number): number => Math.min(most(), Math.max(LEAST, Math.round(width)));

/**
 * The panel next to a list. Its left border can be dragged, or moved with the arrow keys; a double click restores the
 * initial width.
 */
export function Panel({
  label,
  width,
  onWidth,
  head,
  children,
}: {
  label: string;
  width: number | undefined;
  /** Undefined restores the initial width. */
  onWidth: (width: number | undefined) => void;
  /** The header above its content, with the buttons of the panel. */
  head: ReactNode;
  children: ReactNode;
}) {
  const [dragged, setDragged] = useState<number>();
  const box = useRef<HTMLElement>(null);
  const now = within(dragged ?? width ?? 480);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: now + STEP, ArrowRight: now - STEP, Home: LEAST, End: most() }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onWidth(within(next));
  };
  return (
    <aside
      ref={box}
      aria-label={label}
      className="relative flex min-h-0 shrink-0 flex-col border-l border-line-strong bg-surface"
      style={{ width: now }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved has no element of its own */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label="Resize panel"
        aria-valuenow={now}
        aria-valuemin={LEAST}
        aria-valuemax={most()}
        tabIndex={0}
        className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent-soft focus-visible:bg-accent-soft"
        onKeyDown={onKeyDown}
        onDoubleClick={() => onWidth(undefined)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDragged(now);
        }}
        onPointerMove={(event) => {
          const right = box.current?.getBoundingClientRect().right;
          if (dragged !== undefined && right !== undefined) setDragged(within(right - event.clientX));
        }}
        onPointerUp={() => {
          if (dragged !== undefined) onWidth(dragged);
          setDragged(undefined);
        }}
      />
      <div className="flex h-11 shrink-0 items-center gap-0.5 pr-2.5 pl-5">{head}</div>
      <div className={clsx('min-h-0 grow overflow-y-auto px-5 pb-5', dragged !== undefined && 'select-none')}>
        {children}
      </div>
    </aside>
  );
}
