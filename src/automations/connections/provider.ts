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

/** Runs and people wait meanwhile. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** An access token is renewed so long before its end, and one of a short life in the middle of it. */
const MARGIN_MS = 60_000;

/**
 * Why there is no token. `denied`: the person has said no. `revoked`: what was granted is no more. `unreachable`: the provider gives no
 * answer, or cannot just now. `refused`: its answer is another one, or not to be believed.
 */
export type TokenRefusal = 'denied' | 'revoked' | 'unreachable' | 'refused';
export class AuthorizationServerError extends Error {
  readonly refusal: TokenRefusal;
  constructor(refusal: TokenRefusal, message: string, cause: unknown) {
    super(message, { cause });
    this.refusal = refusal;
  }
}

/** The provider could not be asked; the message says why. */
class UnansweredError extends Error {}

/**
 * The address where a person consents. A parameter stands in it once (RFC 6749 §3.1): one that the provider's address has already is
 * replaced.
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
  // The library puts them behind those that are there.
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

type Asked = { sender: Send; auth: OAuth; credentials: ConnectionCredentials; now: Date };

/** Tokens for the code that a browser has come back to `url` with. Throws AuthorizationServerError. */
export const exchangeCode = (asked: Asked, url: URL, { state, verifier }: { state: string; verifier: string }) =>
  tokensOf(asked, (configuration) =>
    authorizationCodeGrant(configuration, url, { expectedState: state, pkceCodeVerifier: verifier }),
  );

/** New tokens for a refresh token, which some providers replace at each use. Throws AuthorizationServerError. */
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
  // The guard of outgoing requests says whether http may be.
  allowInsecureRequests(configuration);
  return configuration;
}

/** `fetch` by the guarded sender, for requests of the library to token endpoints. */
const fetchBy =
  (sender: Send): CustomFetch =>
  async (url, { method, headers, body }) => {
    const sent = await sender.send({
      method,
      url,
      headers,
      // `as`: the library sends forms alone.
      body: Buffer.from((body as URLSearchParams).toString()),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if ('error' in sent) throw new UnansweredError(`the provider gave no answer: ${sent.error.message}`);
    const { status } = sent;
    if (status >= 500 || status === 429) throw new UnansweredError(`the provider answered ${status}`);
    // A provider that does not know the client answers 401 with a challenge and its error (RFC 6749, section 5.2): the library would stop
    // at the challenge, and the error were not read.
    const { 'www-authenticate': _, ...shown } = sent.headers;
    return new Response([204, 205, 304].includes(status) ? null : sent.body, { status, headers: shown });
  };

/** Nothing but a code of RFC 6749 is told of what the provider says: its words may hold anything. */
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
  const what = status === undefined ? 'gave another answer' : `answered ${status} in another form`;
  return new AuthorizationServerError('refused', `the provider ${what} than RFC 6749 asks for`, error);
}

/** The status of an answer that the library could not read. */
function statusIn(error: unknown): number | undefined {
  if (error instanceof Response) return error.status;
  return error instanceof Error ? statusIn(error.cause) : undefined;
}

const said = (code: string): string =>
  `the provider refused${/^[a-z_]{1,40}$/.test(code) ? ` with the error ${code}` : ''}`;

/** The library has its own error around that of a request. */
function unansweredIn(error: unknown): UnansweredError | undefined {
  if (error instanceof UnansweredError) return error;
  return error instanceof Error ? unansweredIn(error.cause) : undefined;
}
