import { createHmac } from 'node:crypto';
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  type CustomFetch,
} from 'openid-client';
import type { SingleSignOnSettings } from '../../../platform/config/single-sign-on.ts';
import { type ProvenPerson, readPerson } from './claims.ts';

/** A user is waiting. */
const TIMEOUT_S = 10;
/** A provider may change the URLs of its keys and endpoints. New keys appear at the same URL. */
const KNOWN_FOR_MS = 3_600_000;
/**
 * The provider asks users to authenticate again if they last did so longer ago: about a working day. Providers that
 * respect this usually also say when the user authenticated, but not all do.
 */
const ASKED_WITHIN_S = 43_200;
/** A user who authenticates again must have done so within this many seconds before returning. */
const PROVEN_WITHIN_S = 120;
/** Maximum seconds that a provider's clock may be ahead of ours. */
const MOST_AHEAD_S = 120;

/**
 * Why a user was not authenticated: the user declined, the provider's response is not valid, or the provider cannot be
 * reached.
 */
export type IdentityRefusal = 'denied' | 'invalid' | 'unreachable';
export class IdentityProviderError extends Error {
  readonly refusal: IdentityRefusal;
  constructor(refusal: IdentityRefusal, cause: unknown) {
    super(`The identity provider: ${refusal}`, { cause });
    this.refusal = refusal;
  }
}

export type IdentityProvider = {
  /**
   * Returns the URL to send a browser with that secret to. With `isProof`, the provider asks for the password again.
   */
  addressFor(secret: string, options: { isProof: boolean }): Promise<string>;
  /**
   * Returns the user whom the provider sent back to `url`, in the browser with that secret. Throws
   * IdentityProviderError.
   */
  personAt(url: URL, secret: string, options: { isProof: boolean }): Promise<ProvenPerson>;
};

/**
 * Client for the operator's OpenID provider (OpenID Connect Core, code flow with PKCE). The signature of the ID token
 * is checked even though TLS has protected it. Responses are not redirected, waited for beyond ten seconds or read
 * beyond a megabyte.
 */
export function createProvider(
  settings: SingleSignOnSettings,
  { redirectUri, clock }: { redirectUri: string; clock: () => Date },
): IdentityProvider {
  let known: { at: number; configuration: Promise<Configuration> } | undefined;

  const discover = async (): Promise<Configuration> => {
    const now = clock().getTime();
    if (known === undefined || Math.abs(now - known.at) >= KNOWN_FOR_MS)
      known = { at: now, configuration: discoverAt(settings) };
    const { configuration } = known;
    try {
      return await configuration;
    } catch (error) {
      // Let the next sign-in try again.
      if (known?.configuration === configuration) known = undefined;
      throw new IdentityProviderError('unreachable', error);
    }
  };

  return {
    async addressFor(secret, { isProof }) {
      const configuration = await discover();
      const { state, nonce, verifier } = boundTo(secret);
      const parameters = {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        max_age: String(isProof ? PROVEN_WITHIN_S : ASKED_WITHIN_S),
        ...(isProof && { prompt: 'login' }),
      };
      return buildAuthorizationUrl(configuration, parameters).href;
    },

    async personAt(url, secret, { isProof }) {
      const configuration = await discover();
      const { state, nonce, verifier } = boundTo(secret);
      try {
        const tokens = await authorizationCodeGrant(configuration, url, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
          ...(isProof && { maxAge: PROVEN_WITHIN_S }),
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('The response has no ID token');
        refuseAhead(claims, clock());
        const person = readPerson(
          await withUserInfo(configuration, tokens.access_token, { claims, groupsClaim: settings.groupsClaim }),
          settings,
        );
        if (person === undefined) throw new Error('The subject is empty or longer than 255 characters');
        return person;
      } catch (error) {
        throw new IdentityProviderError(refusalOf(error), error);
      }
    },
  };
}

/** Fetches the configuration of the provider, as a sign-in does. Returns undefined if it is usable. */
export async function lookAtProvider(settings: SingleSignOnSettings): Promise<'unanswered' | 'unfit' | undefined> {
  try {
    await discoverAt(settings);
    return undefined;
  } catch (error) {
    return isUnanswered(error) ? 'unanswered' : 'unfit';
  }
}

function discoverAt({ issuer, clientId, clientSecret }: SingleSignOnSettings): Promise<Configuration> {
  const url = new URL(issuer);
  return discovery(url, clientId, {}, authenticationOf(clientSecret), {
    timeout: TIMEOUT_S,
    [customFetch]: fetchBounded,
    execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
}

/**
 * Authenticates by header, which every provider must support (RFC 6749 §2.3.1), unless it says that it supports only
 * the body.
 */
function authenticationOf(clientSecret: string | undefined): ReturnType<typeof None> {
  if (clientSecret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...others) => {
    const taken = server.token_endpoint_auth_methods_supported;
    const isPostOnly = taken?.includes('client_secret_basic') === false && taken.includes('client_secret_post');
    return (isPostOnly ? post : basic)(server, ...others);
  };
}

/**
 * The library checks only the expiry of a token. A time in the future would count as recent authentication for that
 * much longer.
 */
function refuseAhead({ iat, auth_time: authTime }: { iat: number; auth_time?: number }, now: Date): void {
  const latest = now.getTime() / 1_000 + MOST_AHEAD_S;
  if (iat > latest || (authTime !== undefined && authTime > latest))
    throw new Error(`The times in the ID token are more than ${MOST_AHEAD_S} s ahead`);
}

type Claims = { iss: string; sub: string; [name: string]: unknown };

/**
 * Adds claims from the userinfo endpoint, because many providers leave the address or the groups out of the ID token.
 * It is accepted only for the same subject, and the address and its verification are taken from the same source.
 */
async function withUserInfo(
  configuration: Configuration,
  accessToken: string,
  { claims, groupsClaim }: { claims: Claims; groupsClaim: string },
): Promise<Claims> {
  const isWhole = claims['email'] !== undefined && claims[groupsClaim] !== undefined;
  if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const { email, email_verified, ...others } = await fetchUserInfo(configuration, accessToken, claims.sub);
  const { email: _, email_verified: __, ...own } = claims;
  const address =
    claims['email'] === undefined
      ? { email, email_verified }
      : { email: claims['email'], email_verified: claims['email_verified'] };
  return { ...others, ...own, ...address, iss: claims.iss, sub: claims.sub };
}

function refusalOf(error: unknown): IdentityRefusal {
  if (error instanceof AuthorizationResponseError) return error.error === 'access_denied' ? 'denied' : 'invalid';
  return isUnanswered(error) ? 'unreachable' : 'invalid';
}

/** The library wraps the error of a request in its own. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof UnansweredError || (error instanceof Error && isUnanswered(error.cause));

/** Values that bind one sign-in at the identity provider (RFC 6749 §10.12, OpenID Connect Core §15.5.2, RFC 7636). */
type Bound = { state: string; nonce: string; verifier: string };

/**
 * Derives all of them from the secret in the browser's cookie. PostgreSQL stores only the hash of that secret, and
 * whoever reads the hash cannot complete another user's sign-in.
 */
function boundTo(secret: string): Bound {
  const derive = (purpose: string): string => createHmac('sha256', secret).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** Documents and tokens have some kilobytes; key sets may have a hundred. */
const MOST_BYTES = 1_048_576;

/** The provider did not respond in time, or is unavailable. */
class UnansweredError extends Error {}

/**
 * `fetch` with a response of at most a megabyte. Rejects if it is longer, and with UnansweredError if there is no
 * response.
 */
const fetchBounded: CustomFetch = async (url, options) => {
  // `as`: the library declares its own copy of fetch's body type.
  const response = await fetch(url, options as RequestInit).catch((cause: unknown) => {
    throw new UnansweredError(`${new URL(url).origin} does not respond`, { cause });
  });
  if (response.status >= 500) throw new UnansweredError(`${new URL(url).origin} responded ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // `as`: the body stream of Node yields bytes, which its type does not say.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error(`The response of ${new URL(url).origin} has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers });
};
