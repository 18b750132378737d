import type { ReadinessLook, Readiness } from '../../../platform/readiness/readiness.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Middleware } from '../route/context.ts';
import { toApiError } from '../answers/errors.ts';

/** A missing part is looked for again within this. */
const RETRY_AFTER_SECONDS = 1;

/** UNAVAILABLE with the true reasons, in plain words. */
export function notReadyError({ failures }: ReadinessLook, cause?: unknown): ApiError {
  const message = failures.map((failure) => failure.message).join('; ') || 'The service is not ready';
  return new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/**
 * Refuses every request until the service was ready once: on a database that is not migrated nothing is to be read or written.
 * Afterwards it looks only when something failed that nobody foresaw, such as a table that is gone: where a required part is down, the
 * caller is told that instead of a fault of ours.
 */
export const requireReady =
  (readiness: Readiness): Middleware =>
  async (_, next) => {
    if (!readiness.hasBeenReady()) {
      const look = await readiness.look();
      // A database that is only slow shows itself at the request's own query, which has more patience.
      if (!look.isReady && !look.isUndecided) throw notReadyError(look);
    }
    try {
      await next();
    } catch (thrown) {
      if (toApiError(thrown, { isRead: true }).code !== 'INTERNAL') throw thrown;
      const look = await readiness.look();
      if (look.isReady) throw thrown;
      throw notReadyError(look, thrown);
    }
  };
