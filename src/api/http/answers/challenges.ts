import { type ApiError, PROOF_ALGORITHMS } from '../../../kernel/errors.ts';

/** Errors that a challenge names; the others are the token endpoint's own. */
const NAMED = new Set(['invalid_token', 'invalid_dpop_proof', 'use_dpop_nonce', 'insufficient_scope']);

/**
 * How to authenticate, on refusals that better credentials would lift: both schemes, each in a header line of its own (RFC 9110
 * §11.6.1, RFC 9449 §7.1, RFC 6750 §3). An error stands beside the scheme whose credential was refused: a missing scope is a matter of
 * both. A nonce that is asked for goes into DPoP-Nonce (RFC 9449 §8).
 */
export function challengesOf({ code, oauth }: ApiError): Record<string, string | string[]> {
  if (code !== 'UNAUTHORIZED' && code !== 'FORBIDDEN' && oauth?.nonce === undefined) return {};
  const nonce = oauth?.nonce === undefined ? {} : { 'DPoP-Nonce': oauth.nonce };
  const error = oauth !== undefined && NAMED.has(oauth.error) ? `, error="${oauth.error}"` : '';
  const scope = oauth?.scope === undefined ? '' : `, scope="${oauth.scope}"`;
  // Another token is no help where the kind of credential may not do this at all, such as a key where a person is needed.
  if (code === 'INVALID_REQUEST' || (code === 'FORBIDDEN' && error === '')) return nonce;
  const ofBearer = oauth?.error === 'insufficient_scope' ? error + scope : '';
  return {
    ...nonce,
    'WWW-Authenticate': [
      `DPoP realm="api"${error}${scope}, algs="${PROOF_ALGORITHMS.join(' ')}"`,
      `Bearer realm="api"${ofBearer}`,
    ],
  };
}
