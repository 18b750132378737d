import { type DOMAttributes, type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { useCrosshair } from './crosshair.ts';
import { stepAt } from './steps.ts';
import type { ChartView } from './view.ts';

/** Receives a time span as two ISO times. */
export type TakeSpan = (from: string, to: string) => void;

/** A pointer that has moved less than this, in pixels, made a click. */
const CLICK_PX = 4;

/** The first and last step: the one at the pointer, or those of a selection. */
type Steps = { first: number; last: number };

/**
 * Handles the pointer and keys of a plot. Arrow keys and the pointer move the crosshair. Dragging, or Shift with the
 * arrow keys, selects a span for `onSpan`; a click or Enter passes one step to `onPick`, or to `onSpan` if there is no
 * `onPick`.
 */
export function usePointing({
  view: { times, stepSeconds, from, to },
  syncKey,
  onSpan,
  onPick,
}: {
  view: ChartView;
  syncKey: string | undefined;
  onSpan: TakeSpan | undefined;
  onPick: TakeSpan | undefined;
}): { pointed: number | undefined; steps: Steps | undefined; isOwn: boolean; handlers: DOMAttributes<HTMLElement> } {
  const owner = useId();
  const [crosshair, point] = useCrosshair(syncKey);
  // A time and not a position, because a new step shifts all others to the left.
  const [begun, setBegun] = useState<{ at: number; x?: number; isFirstTap?: boolean }>();
  const middleOf = (step: number): number => (times[step] ?? from) + stepSeconds * 500;
  const pointed = point === undefined ? undefined : stepAt(times, stepSeconds, point.at);
  const isOwn = point?.owner === owner;
  const start =
    (isOwn && begun !== undefined && onSpan !== undefined ? stepAt(times, stepSeconds, begun.at) : undefined) ??
    pointed;

  const pointAt = (step: number): void =>
    crosshair.set({ at: middleOf(Math.max(0, Math.min(times.length - 1, step))), owner });
  const leave = (): void => {
    setBegun(undefined);
    if (isOwn) crosshair.set(undefined);
  };
  const take = (one: number, other: number): void => {
    const [first, last] = [times[Math.min(one, other)], times[Math.max(one, other)]];
    if (first === undefined || last === undefined) return;
    const taker = one === other ? (onPick ?? onSpan) : onSpan;
    taker?.(new Date(first).toISOString(), new Date(last + stepSeconds * 1_000).toISOString());
  };
  const stepUnder = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = from + ((clientX - left) / width) * (to - from);
    return Math.max(
      0,
      times.findLastIndex((time) => time <= at),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = pointed ?? times.length - 1;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: times.length - 1 }[event.key];
    if (next !== undefined) {
      if (!event.shiftKey || onSpan === undefined) setBegun(undefined);
      else setBegun(begun ?? { at: middleOf(at) });
      pointAt(next);
    } else if (event.key === 'Enter') {
      setBegun(undefined);
      take(start ?? at, at);
    } else if (event.key === 'Escape' && begun !== undefined) setBegun(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const handlers: DOMAttributes<HTMLElement> = {
    onKeyDown,
    onFocus: ({ currentTarget }) => currentTarget.matches(':focus-visible') && pointAt(pointed ?? times.length - 1),
    onBlur: leave,
    onPointerMove: (event) => pointAt(stepUnder(event)),
    // Lifting a finger counts as leaving. Keep what it has shown until another place is touched.
    onPointerLeave: ({ pointerType }) => pointerType === 'mouse' && begun?.x === undefined && leave(),
    onPointerCancel: leave,
    onPointerDown(event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const step = stepUnder(event);
      // A finger does not hover, so its first tap shows the values, and the second one opens the list.
      const isFirstTap = event.pointerType === 'touch' && step !== pointed;
      pointAt(step);
      setBegun({ at: middleOf(step), x: event.clientX, isFirstTap });
    },
    onPointerUp(event) {
      if (begun?.x === undefined) return;
      const end = stepUnder(event);
      const isDrag = onSpan !== undefined && Math.abs(event.clientX - begun.x) >= CLICK_PX;
      setBegun(undefined);
      if (isDrag) take(start ?? end, end);
      else if (begun.isFirstTap !== true) take(end, end);
    },
  };
  const steps =
    pointed === undefined || start === undefined
      ? undefined
      : { first: Math.min(start, pointed), last: Math.max(start, pointed) };
  return { pointed, steps, isOwn, handlers };
}
