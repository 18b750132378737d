import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  customFetch,
  refreshTokenGrant,
  ResponseBodyError,
} from 'openid-client';
import type { RequestSender } from '../../platform/outbound/send-request.ts';
import type { OAuth } from '../connectors/catalogue/connector.ts';
import { filledWith } from '../connectors/request.ts';
import type { ConnectionCredentials, ProviderTokens } from './sealed.ts';

export type Send = Pick<RequestSender, 'send'>;

/** Short, because runs and people wait for it. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** An access token is renewed this long before it expires, or halfway if its lifetime is short. */
const MARGIN_MS = 60_000;

/**
 * Why there is no token. `denied`: the person refused consent. `revoked`: the grant is no longer valid. `unreachable`:
 * the provider does not respond or is temporarily unavailable. `refused`: any other response, or one that is not
 * trustworthy.
 */
export type TokenRefusal = 'denied' | 'revoked' | 'unreachable' | 'refused';
export class AuthorizationServerError extends Error {
  readonly refusal: TokenRefusal;
  constructor(refusal: TokenRefusal, message: string, cause: unknown) {
    super(message, { cause });
    this.refusal = refusal;
  }
}

/** The provider did not respond; the message says why. */
class UnansweredError extends Error {}

/**
 * Returns the address where a person gives consent. A parameter may occur only once (RFC 6749 §3.1), so parameters that
 * the provider's address already has are replaced.
 */
export async function authorizationUrl(
  auth: OAuth,
  credentials: ConnectionCredentials,
  { redirectUri, state, verifier }: { redirectUri: string; state: string; verifier: string },
): Promise<string> {
  const scope = filledWith(auth.scope, credentials);
  const parameters = {
    ...auth.parameters,
    client_id: String(credentials['clientId']),
    redirect_uri: redirectUri,
    response_type: 'code',
    ...(scope !== '' && { scope }),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const url = buildAuthorizationUrl(configurationOf(auth, credentials), parameters);
  // The library appends parameters instead of replacing them.
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

type Asked = { sender: Send; auth: OAuth; credentials: ConnectionCredentials; now: Date };

/** Exchanges the code in the `url` of a returning browser for tokens. Throws AuthorizationServerError. */
export const exchangeCode = (asked: Asked, url: URL, { state, verifier }: { state: string; verifier: string }) =>
  tokensOf(asked, (configuration) =>
    authorizationCodeGrant(configuration, url, { expectedState: state, pkceCodeVerifier: verifier }),
  );

/**
 * Returns new tokens for a refresh token, which some providers replace at each use. Throws AuthorizationServerError.
 */
export const renew = async (asked: Asked, refreshToken: string): Promise<ProviderTokens> => ({
  refreshToken,
  ...(await tokensOf(asked, (configuration) => refreshTokenGrant(configuration, refreshToken))),
});

async function tokensOf(
  { sender, auth, credentials, now }: Asked,
  grant: (configuration: Configuration) => ReturnType<typeof refreshTokenGrant>,
): Promise<ProviderTokens> {
  const configuration = configurationOf(auth, credentials);
  configuration[customFetch] = fetchBy(sender);
  try {
    const {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: lifeS = 0,
    } = await grant(configuration);
    const lifeMs = lifeS * 1_000;
    const renewAt = new Date(now.getTime() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2));
    return {
      accessToken,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(lifeMs > 0 && { renewAt: renewAt.toISOString() }),
    };
  } catch (error) {
    throw providerError(error);
  }
}

function configurationOf(auth: OAuth, credentials: ConnectionCredentials): Configuration {
  const address = (template: string): string => new URL(filledWith(template, credentials)).href;
  const [authorization, token] = [address(auth.authorizationUrl), address(auth.tokenUrl)];
  const issuer = filledWith(auth.issuer ?? '', credentials) || new URL(authorization).origin;
  const { clientId, clientSecret } = credentials;
  const configuration = new Configuration(
    { issuer, authorization_endpoint: authorization, token_endpoint: token },
    String(clientId),
    {},
    (auth.secretIn === 'header' ? ClientSecretBasic : ClientSecretPost)(String(clientSecret)),
  );
  // The guard of outgoing requests decides whether http is allowed.
  allowInsecureRequests(configuration);
  return configuration;
}

/** A `fetch` for the library's requests to token endpoints that uses the guarded sender. */
const fetchBy =
  (sender: Send): CustomFetch =>
  async (url, { method, headers, body }) => {
    const sent = await sender.send({
      method,
      url,
      headers,
      // `as`: the library only sends forms.
      body: Buffer.from((body as URLSearchParams).toString()),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if ('error' in sent) throw new UnansweredError(`the provider did not respond: ${sent.error.message}`);
    const { status } = sent;
    if (status >= 500 || status === 429) throw new UnansweredError(`the provider responded with ${status}`);
    // A provider that does not know the client returns 401 with a challenge and an error (RFC 6749, section 5.2). The
    // library would stop at the challenge and not read the error.
    const { 'www-authenticate': _, ...shown } = sent.headers;
    return new Response([204, 205, 304].includes(status) ? null : sent.body, { status, headers: shown });
  };

/**
 * Converts an error. Of the provider's response only codes of RFC 6749 are shown, because its texts may contain
 * anything.
 */
function providerError(error: unknown): AuthorizationServerError {
  const unanswered = unansweredIn(error);
  if (unanswered !== undefined) return new AuthorizationServerError('unreachable', unanswered.message, error);
  if (error instanceof AuthorizationResponseError)
    return new AuthorizationServerError(
      error.error === 'access_denied' ? 'denied' : 'refused',
      said(error.error),
      error,
    );
  if (error instanceof ResponseBodyError)
    return new AuthorizationServerError(
      error.error === 'invalid_grant' ? 'revoked' : 'refused',
      said(error.error),
      error,
    );
  const status = statusIn(error);
  const what = status === undefined ? 'sent a response' : `responded with ${status} in a format`;
  return new AuthorizationServerError('refused', `the provider ${what} that does not follow RFC 6749`, error);
}

/** Returns the status of a response that the library could not read. */
function statusIn(error: unknown): number | undefined {
  if (error instanceof Response) return error.status;
  return error instanceof Error ? statusIn(error.cause) : undefined;
}

const said = (code: string): string =>
  `the provider refused${/^[a-z_]{1,40}$/.test(code) ? ` with the error ${code}` : ''}`;

/** Finds the error of the request inside the library's error. */
function unansweredIn(error: unknown): UnansweredError | undefined {
  if (error instanceof UnansweredError) return error;
  return error instanceof Error ? unansweredIn(error.cause) : undefined;
}
