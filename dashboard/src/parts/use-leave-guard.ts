import { useBlocker } from '@tanstack/react-router';

/** Back and Forward. No link can be pressed while a drawer covers the page, and what a form opens after it was sent is wanted. */
const TRAVERSALS: ReadonlySet<string> = new Set(['BACK', 'FORWARD', 'GO']);

/** Asks before Back, Forward or the end of the tab takes what was written. Given to the drawers by their context. */
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
