import type { Caller } from '../../caller/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { renewAccess } from '../access/renew-access.ts';
import type { Context } from '../route/context.ts';

/**
 * Looks at the caller of an answer that stays open every so many ms, until the returned function is called; one look at a time. `refused`
 * is called where the caller has lost the right to it, or `fits` says so. A look believes what was read 2 s before (identity/belief).
 */
export function watchCaller(
  { state: { credential, route } }: Context,
  { everyMs, fits, refused }: { everyMs: number; fits?(caller: Caller): boolean | undefined; refused(): void },
): () => void {
  if (credential === undefined || route === undefined) return () => undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const caller = await renewAccess(route, credential);
      if (fits?.(caller) === false) refused();
    } catch (error) {
      // Where PostgreSQL is away the next look tells.
      if (error instanceof ApiError && error.status < 500) refused();
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}
