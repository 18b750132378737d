import { useBlocker } from '@tanstack/react-router';

/** Back and Forward: no link of a page can be pressed while a drawer covers it, and what a form itself opens after it was sent is wanted. */
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
