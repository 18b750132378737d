import { ApiError, type OAuthError } from '../../../kernel/errors.ts';
import { ProofProblem } from '../dpop/proof-problem.ts';

/** INVALID_REQUEST of the token endpoint, for one parameter. */
export const tokenProblem = (error: OAuthError, field: string, reason: string): ApiError =>
  new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { details: { field, reason }, oauth: { error } });

/** One text for an unknown, a revoked and an expired client, and for a wrong HMAC. */
export const invalidClient = (): ApiError => {
  const reason = 'names no machine credential whose secret has made this client_secret for this proof';
  const details = { field: 'client_id', reason };
  return new ApiError('UNAUTHORIZED', `client_id: ${reason}`, { details, oauth: { error: 'invalid_client' } });
};

/** The client has proven who it is, so it is told what is the matter. */
export const suspendedClient = (): ApiError => {
  const reason = 'belongs to an app that is suspended';
  const details = { field: 'client_id', reason };
  return new ApiError('FORBIDDEN', `client_id: ${reason}`, { details, oauth: { error: 'unauthorized_client' } });
};

/** One text for every access token that is not taken. */
export const invalidToken = (): ApiError =>
  new ApiError('UNAUTHORIZED', 'The access token is invalid, has expired or was revoked', {
    oauth: { error: 'invalid_token' },
  });

/**
 * A refused proof as the answer to its request: INVALID_REQUEST at the token endpoint (RFC 9449 §5), UNAUTHORIZED elsewhere (§7.1).
 * `nonce` is the one to come with next. Everything else that is thrown stays what it is.
 */
export function proofRefusal(
  thrown: unknown,
  code: 'INVALID_REQUEST' | 'UNAUTHORIZED',
  nonce: string | undefined,
): unknown {
  if (!(thrown instanceof ProofProblem)) return thrown;
  const { error, reason } = thrown;
  const details = { field: 'DPoP', reason };
  return new ApiError(code, `DPoP: ${reason}`, { details, oauth: { error, nonce } });
}
