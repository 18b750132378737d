import { isApiError, Posthorn } from '../../../client/src/index.ts';
import { API } from '../lib/addresses.ts';
import { describable, tellSent } from './requests.ts';

export * from '../../../client/src/index.ts';

const common = { baseUrl: API, credentials: { session: {} } } as const;

/** Every call of the pages goes through it: the session is a cookie that no script can read. */
export const api: Posthorn = describable(
  new Posthorn({
    ...common,
    retries: { max: 1, withinMs: 5_000 },
    fetch: (input, init) => {
      tellSent(input, init);
      return globalThis.fetch(input, init);
    },
  }),
  (fetch) => new Posthorn({ ...common, retries: { max: 0 }, fetch }),
);

/** Whether the session must be proven anew before this can be done. */
export const needsProof = (error: unknown): boolean =>
  isApiError(error, 'FORBIDDEN') && error.details?.field === 'session';
