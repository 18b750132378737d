import { useSyncExternalStore } from 'react';

let version = 0;
const listeners = new Set<() => void>();
let stop: (() => void) | undefined;

const onChange = (): void => {
  version += 1;
  for (const listener of listeners) listener();
};

function start(): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', onChange);
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  stop ??= start();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = undefined;
  };
}

/** A number that changes whenever the colours of the page do. */
export const useTheme = (): number => useSyncExternalStore(subscribe, () => version);

/**
 * Resolves colours for a canvas. Custom properties contain `light-dark(…)`, which a canvas does not support, so an
 * element of the page gets the colour and its computed style is read.
 */
export function createColours(element: HTMLElement): { of: (variable: string) => string; forget: () => void } {
  const known = new Map<string, string>();
  return {
    of(variable) {
      const kept = known.get(variable);
      if (kept !== undefined) return kept;
      element.style.color = `var(${variable})`;
      const colour = getComputedStyle(element).color;
      known.set(variable, colour);
      return colour;
    },
    forget: () => known.clear(),
  };
}
