import { z } from 'zod';
import { PROOF_ALGORITHMS } from '../../../kernel/errors.ts';

/** Maximum length of a parameter. All known parameters are shorter. */
const parameter = z.string().max(1_024);

/** Parameters of RFC 6749 §4.4.2 and §2.3.1. Unknown ones are ignored, as §3.2 requires. */
export const tokenBody = z
  .object({
    grant_type: parameter.describe('Always `client_credentials`.'),
    client_id: parameter.describe('Id of the machine credential.'),
    client_secret: parameter.describe(
      'HMAC-SHA256 of the proof in the header `DPoP`, keyed with the client secret, in base64url.',
    ),
    scope: parameter
      .optional()
      .describe('Requested scopes, separated by spaces. Default: all scopes of the credential.'),
  })
  .meta({ typeName: 'TokenBody' });
export type TokenBody = z.output<typeof tokenBody>;

/** RFC 6749 §5.1, RFC 9449 §5. */
export const tokenAnswer = z
  .strictObject({
    access_token: z.string().describe('Send it as `Authorization: DPoP …` with each request.'),
    token_type: z.literal('DPoP').describe('Each request needs a DPoP proof in addition to the token.'),
    expires_in: z.int().min(1).describe('Seconds until it expires. There is no refresh token; request a new one.'),
    scope: z.string().describe('Scopes it has, separated by spaces.'),
  })
  .meta({ typeName: 'Token' });
export type TokenAnswer = z.output<typeof tokenAnswer>;

/** Public key for verifying access tokens (RFC 8037 §2). */
const signingKey = z.strictObject({
  kty: z.literal('OKP').describe('Key type.'),
  crv: z.literal('Ed25519').describe('Curve.'),
  x: z.string().describe('Public key, in base64url.'),
  kid: z.string().describe('Key id (RFC 7638 thumbprint), as in the header of tokens.'),
  alg: z.literal('EdDSA').describe('Signature algorithm.'),
  use: z.literal('sig').describe('Key use: signatures.'),
});

/** RFC 7517 §5. */
export const keysAnswer = z
  .strictObject({
    keys: z.array(signingKey).describe('Keys of tokens that may still be valid, and the key that will sign next.'),
  })
  .meta({ typeName: 'JsonWebKeySet' });
export type KeysAnswer = z.output<typeof keysAnswer>;

/** RFC 8414 §2. */
export const metadataAnswer = z
  .strictObject({
    issuer: z.string().describe('PUBLIC_BASE_URL, which is also `iss` and `aud` of tokens.'),
    token_endpoint: z.string().describe('URL of the token endpoint.'),
    jwks_uri: z.string().describe('URL of the public keys for access tokens.'),
    scopes_supported: z.array(z.string()).describe('All scopes.'),
    response_types_supported: z.array(z.never()).describe('Empty: there is no authorization endpoint.'),
    grant_types_supported: z.array(z.literal('client_credentials')).describe('The only supported grant.'),
    token_endpoint_auth_methods_supported: z
      .array(z.literal('client_secret_dpop_hmac'))
      .describe(
        'HMAC of the DPoP proof, keyed with the client secret. This is not a registered method, because ' +
          'none of those binds the client to the proof.',
      ),
    dpop_signing_alg_values_supported: z
      .array(z.enum(PROOF_ALGORITHMS))
      .describe('Signature algorithms of proofs (RFC 9449 §5.1).'),
  })
  .meta({ typeName: 'AuthorizationServer' });
export type MetadataAnswer = z.output<typeof metadataAnswer>;
