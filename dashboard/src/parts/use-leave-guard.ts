import { useBlocker } from '@tanstack/react-router';

/**
 * Covers Back and Forward only. Links cannot be pressed while a drawer covers the page, and what a form opens after it
 * was sent is intended.
 */
const TRAVERSALS: ReadonlySet<string> = new Set(['BACK', 'FORWARD', 'GO']);

/** Asks before Back, Forward or closing the tab discards unsaved input. Passed to the drawers through a context. */
export function useLeaveGuard(isWritten: () => boolean): {
  isAsked: boolean;
  stay: () => void;
  leave: () => void;
} {
  const blocker = useBlocker({
    shouldBlockFn: ({ action }) => TRAVERSALS.has(action) && isWritten(),
    enableBeforeUnload: isWritten,
    withResolver: true,
  });
  return {
    isAsked: blocker.status === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
  };
}
