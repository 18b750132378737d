import { z } from 'zod';
import { PROOF_ALGORITHMS } from '../../../kernel/errors.ts';

/** Longest value of a parameter: all that are known are shorter. */
const parameter = z.string().max(1_024);

/** The parameters of RFC 6749 §4.4.2 and §2.3.1. Others are ignored, as §3.2 asks for. */
export const tokenBody = z
  .object({
    grant_type: parameter.describe('Always `client_credentials`.'),
    client_id: parameter.describe('Id of the machine credential.'),
    client_secret: parameter.describe(
      'HMAC-SHA256 over the proof in the header `DPoP`, made with the secret, in base64url.',
    ),
    scope: parameter
      .optional()
      .describe('Rights that the token is to have, with spaces between them. Default: all of the credential.'),
  })
  .meta({ typeName: 'TokenBody' });
export type TokenBody = z.output<typeof tokenBody>;

/** RFC 6749 §5.1, RFC 9449 §5. */
export const tokenAnswer = z
  .strictObject({
    access_token: z.string().describe('Goes into `Authorization: DPoP …` of each call.'),
    token_type: z.literal('DPoP').describe('Each call needs a proof beside the token.'),
    expires_in: z.int().min(1).describe('Seconds until it ends. There is no refresh token: ask again.'),
    scope: z.string().describe('Rights that it has, with spaces between them.'),
  })
  .meta({ typeName: 'Token' });
export type TokenAnswer = z.output<typeof tokenAnswer>;

/** A public key of access tokens (RFC 8037 §2). */
const signingKey = z.strictObject({
  kty: z.literal('OKP').describe('Kind of key.'),
  crv: z.literal('Ed25519').describe('Its curve.'),
  x: z.string().describe('The public key.'),
  kid: z.string().describe('RFC 7638 thumbprint, as tokens name it.'),
  alg: z.literal('EdDSA').describe('Algorithm that it signs with.'),
  use: z.literal('sig').describe('Keys that sign.'),
});

/** RFC 7517 §5. */
export const keysAnswer = z
  .strictObject({
    keys: z.array(signingKey).describe('Keys whose tokens may be met, and the one that will sign next.'),
  })
  .meta({ typeName: 'JsonWebKeySet' });
export type KeysAnswer = z.output<typeof keysAnswer>;

/** RFC 8414 §2. */
export const metadataAnswer = z
  .strictObject({
    issuer: z.string().describe('PUBLIC_BASE_URL, the `iss` and `aud` of tokens.'),
    token_endpoint: z.string().describe('Where tokens are asked for.'),
    jwks_uri: z.string().describe('Where the public keys of tokens are.'),
    scopes_supported: z.array(z.string()).describe('Every scope that there is.'),
    response_types_supported: z.array(z.never()).describe('None: there is no authorization endpoint.'),
    grant_types_supported: z.array(z.literal('client_credentials')).describe('The one way to a token.'),
    token_endpoint_auth_methods_supported: z
      .array(z.literal('client_secret_dpop_hmac'))
      .describe(
        'An HMAC over the proof, made with the secret. No registered method: none binds the client to the proof.',
      ),
    dpop_signing_alg_values_supported: z
      .array(z.enum(PROOF_ALGORITHMS))
      .describe('Algorithms of proofs (RFC 9449 §5.1).'),
  })
  .meta({ typeName: 'AuthorizationServer' });
export type MetadataAnswer = z.output<typeof metadataAnswer>;
