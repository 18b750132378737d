import { isApiError, Posthorn } from '../../../client/src/index.ts';
import { API } from '../lib/addresses.ts';
import { describable, tellSent } from './requests.ts';

export * from '../../../client/src/index.ts';

// A browser drops the requests of a page that is closed, unless they ask to outlive it.
let isLeaving = false;
addEventListener('pagehide', () => (isLeaving = true), { capture: true });
addEventListener('pageshow', () => (isLeaving = false), { capture: true });
/** Whether the page is being closed: an answer would come too late for it. */
export const isPageLeft = (): boolean => isLeaving;

const common = { baseUrl: API, credentials: { session: {} } } as const;

/** Every call of the pages goes through it: the session is a cookie that no script can read. */
export const api: Posthorn = describable(
  new Posthorn({
    ...common,
    retries: { max: 1, withinMs: 5_000 },
    fetch: (input, init) => {
      tellSent(input, init);
      return globalThis.fetch(input, isLeaving ? { ...init, keepalive: true } : init);
    },
  }),
  (fetch) => new Posthorn({ ...common, retries: { max: 0 }, fetch }),
);

/** Whether the session must be proven anew before this can be done. */
export const needsProof = (error: unknown): boolean =>
  isApiError(error, 'FORBIDDEN') && error.details?.field === 'session';
