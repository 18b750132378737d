import { type OwnOrigins, originProblem } from '../../../kernel/values/http.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { RequestHead, Scheme } from '../../../api/caller.ts';
import { readNamed } from './named-tenant.ts';
import type { Sessions } from './service.ts';

/** Methods that change nothing. A page of another site may cause such a request and never reads its answer. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Sessions of people, by cookie. A request with an Authorization header never comes by its cookie, so that no answer depends on which
 * of two credentials was looked at first. Browsers send cookies by themselves: a request that changes something must come from a page
 * of our own.
 */
export const sessionScheme = (
  sessions: Pick<Sessions, 'recognise' | 'isPresented' | 'isPresentedTwice'>,
  own: OwnOrigins,
): Scheme => ({
  async identify(head) {
    const { header } = head;
    const cookie = header('cookie');
    if (header('authorization').length > 0 || cookie.length === 0) return undefined;
    if (sessions.isPresentedTwice(cookie))
      throw new ApiError('UNAUTHORIZED', 'The cookie of the session is given more than once', {
        details: { field: 'cookie', reason: 'has the cookie of a session more than once' },
      });
    if (!sessions.isPresented(cookie)) return undefined;
    refuseForeign(head, own);
    const named = readNamed(head);
    const found = await sessions.recognise(cookie, named);
    if (found === undefined) throw new ApiError('UNAUTHORIZED', 'The session has ended: sign in again');
    return {
      ...found,
      isSession: true,
      renew: () => sessions.recognise(cookie, named),
    };
  },
});

function refuseForeign({ method, header }: RequestHead, own: OwnOrigins): void {
  if (READING.includes(method)) return;
  const from = { site: header('sec-fetch-site'), origin: header('origin'), host: header('host') };
  const problem = originProblem(from, own, { isProofNeeded: true });
  if (problem !== undefined)
    throw new ApiError('FORBIDDEN', `The request ${problem}: a session acts for its own pages only`);
}
