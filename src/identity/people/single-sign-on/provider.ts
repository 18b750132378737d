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

/** Somebody waits meanwhile. */
const TIMEOUT_S = 10;
/** A provider may change its keys' and endpoints' addresses; it announces new keys by the same address. */
const KNOWN_FOR_MS = 3_600_000;
/**
 * The provider asks again one whom it asked longer ago: about a working day. Providers that read this also say when they asked, and
 * not all of them do.
 */
const ASKED_WITHIN_S = 43_200;
/** One who proves who they are once more has done so within this many seconds when they come back. */
const PROVEN_WITHIN_S = 120;
/** A provider's clock may be ahead of ours by as much, s. */
const MOST_AHEAD_S = 120;

/** Why nobody was proven: the person said no, or the provider's answer is not to be believed, or it cannot be had. */
export type IdentityRefusal = 'denied' | 'invalid' | 'unreachable';
export class IdentityProviderError extends Error {
  readonly refusal: IdentityRefusal;
  constructor(refusal: IdentityRefusal, cause: unknown) {
    super(`The identity provider: ${refusal}`, { cause });
    this.refusal = refusal;
  }
}

export type IdentityProvider = {
  /** Where a browser with that secret is sent. `isProof` has the provider ask for the password again. */
  addressFor(secret: string, options: { isProof: boolean }): Promise<string>;
  /** The person whom the provider sent back to `url`, in the browser with that secret. Throws IdentityProviderError. */
  personAt(url: URL, secret: string, options: { isProof: boolean }): Promise<ProvenPerson>;
};

/**
 * The operator's OpenID provider (OpenID Connect Core, code flow with PKCE). The signature of the ID token is checked although TLS has
 * protected it. No answer of the provider is followed elsewhere, waited for beyond ten seconds or read beyond a megabyte.
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
      // The next one asks again.
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
        if (claims === undefined) throw new Error('There is no ID token');
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

/** Asks the provider for its configuration, as a sign-in does. Undefined: it has answered with one that can be used. */
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

/** By header, as every provider must take it (RFC 6749 §2.3.1), unless it says that it takes the body alone. */
function authenticationOf(clientSecret: string | undefined): ReturnType<typeof None> {
  if (clientSecret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...others) => {
    const taken = server.token_endpoint_auth_methods_supported;
    const isPostOnly = taken?.includes('client_secret_basic') === false && taken.includes('client_secret_post');
    return (isPostOnly ? post : basic)(server, ...others);
  };
}

/** The library looks at the end of a token alone. A sign-in that is ahead would count as fresh for as much longer. */
function refuseAhead({ iat, auth_time: authTime }: { iat: number; auth_time?: number }, now: Date): void {
  const latest = now.getTime() / 1_000 + MOST_AHEAD_S;
  if (iat > latest || (authTime !== undefined && authTime > latest))
    throw new Error(`The ID token is of a time more than ${MOST_AHEAD_S} s ahead`);
}

type Claims = { iss: string; sub: string; [name: string]: unknown };

/**
 * Many providers keep the address or the groups out of the ID token. The answer is believed for the same subject alone, and an address
 * and what is said of it come from one of the two.
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

/** The library has its own error around that of a request. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof UnansweredError || (error instanceof Error && isUnanswered(error.cause));

/** Values that one sign-in at the identity provider is bound to (RFC 6749 §10.12, OpenID Connect Core §15.5.2, RFC 7636). */
type Bound = { state: string; nonce: string; verifier: string };

/**
 * All of them are derived from the secret in the browser's cookie. PostgreSQL keeps only the hash of that secret, and nobody who reads
 * the hash can finish the sign-in of somebody else.
 */
function boundTo(secret: string): Bound {
  const derive = (purpose: string): string => createHmac('sha256', secret).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** Documents and tokens have some kilobytes; sets of keys may have a hundred. */
const MOST_BYTES = 1_048_576;

/** The provider did not answer in time, or cannot just now. */
class UnansweredError extends Error {}

/** `fetch`, whose answer has at most a megabyte. Rejects for a longer one, and with UnansweredError for one that does not come. */
const fetchBounded: CustomFetch = async (url, options) => {
  // `as`: the library's own type of a body is that of fetch, written once more.
  const response = await fetch(url, options as RequestInit).catch((cause: unknown) => {
    throw new UnansweredError(`${new URL(url).origin} does not answer`, { cause });
  });
  if (response.status >= 500) throw new UnansweredError(`${new URL(url).origin} answers ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // `as`: Node's stream of a body yields bytes; its type says nothing of that.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error(`The answer of ${new URL(url).origin} has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers });
};
