import { useState, useSyncExternalStore } from 'react';

/** The step at the pointer: a time in its middle, and its chart. */
type Point = { at: number; owner: string };

export type Crosshair = {
  get: () => Point | undefined;
  set: (point: Point | undefined) => void;
  subscribe: (listener: () => void) => () => void;
};

function createCrosshair(): Crosshair {
  const listeners = new Set<() => void>();
  let point: Point | undefined;
  return {
    get: () => point,
    set(next) {
      if (next?.at === point?.at && next?.owner === point?.owner) return;
      point = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const shared = new Map<string, Crosshair>();

/** The crosshair of a chart, shared by all charts with the same key. */
export function useCrosshair(key: string | undefined): [crosshair: Crosshair, point: Point | undefined] {
  const [own] = useState(createCrosshair);
  let crosshair = own;
  if (key !== undefined) {
    crosshair = shared.get(key) ?? own;
    shared.set(key, crosshair);
  }
  return [crosshair, useSyncExternalStore(crosshair.subscribe, crosshair.get)];
}
