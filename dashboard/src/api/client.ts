import { isApiError, Posthorn } from '../../../client/src/index.ts';
import { API } from '../lib/addresses.ts';
import { describable, tellSent } from './requests.ts';

export * from '../../../client/src/index.ts';

// A browser cancels the requests of a page that is closed, unless they set `keepalive`.
let isLeaving = false;
addEventListener('pagehide', () => (isLeaving = true), { capture: true });
addEventListener('pageshow', () => (isLeaving = false), { capture: true });
/** Whether the page is being closed, so that a response would come too late. */
export const isPageLeft = (): boolean => isLeaving;

const common = { baseUrl: API, credentials: { session: {} } } as const;

/** The client for every API call of the pages. The session is a cookie that scripts cannot read. */
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

/** Whether the session must be verified again before this is allowed. */
export const needsProof = (error: unknown): boolean =>
  isApiError(error, 'FORBIDDEN') && error.details?.field === 'session';
