/** Refusals by the names of RFC 6749 §5.2, RFC 6750 §3.1 and RFC 9449 §5 and §7.1. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'unsupported_grant_type',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'invalid_token',
  'insufficient_scope',
] as const;
export type OAuthError = (typeof OAUTH_ERRORS)[number];

/** Algorithms that a DPoP proof may be signed with: asymmetric ones alone, so that nothing secret of ours is a key. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const;
export type ProofAlgorithm = (typeof PROOF_ALGORITHMS)[number];

/** A refusal as OAuth clients read it; `scope` is what is missing, `nonce` what the next proof must hold. */
export type OAuthRefusal = { error: OAuthError; scope?: string; nonce?: string | undefined };
