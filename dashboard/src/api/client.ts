import { isApiError, Posthorn } from '../../../client/src/index.ts';
import { API } from '../lib/addresses.ts';

export * from '../../../client/src/index.ts';

/** Every call of the pages goes through it: the session is a cookie that no script can read. */
export const api = new Posthorn({ baseUrl: API, credentials: { session: {} }, retries: { max: 1, withinMs: 5_000 } });

/** Whether the session must be proven anew before this can be done. */
export const needsProof = (error: unknown): boolean =>
  isApiError(error, 'FORBIDDEN') && error.details?.field === 'session';
