import { memberOf, PosthornError } from '../errors.ts';

export type AccessToken = {
  text: string;
  /** In milliseconds since the epoch by the local clock, like `endsAt`. */
  renewAt: number;
  endsAt: number;
};

/** Share of a token's lifetime after which it is renewed (docs/reference/token-exchange.md, Request a token). */
const RENEWED_AT = 0.8;

/** Reads the token from a response of POST /oauth/token that was requested at `askedAt`. */
export function readToken(body: unknown, askedAt: number): AccessToken {
  const text = memberOf(body, 'access_token');
  const lifeSeconds = memberOf(body, 'expires_in');
  if (typeof text !== 'string' || typeof lifeSeconds !== 'number')
    throw new PosthornError('POST /oauth/token did not return a token');
  const lifeMs = lifeSeconds * 1_000;
  return { text, renewAt: askedAt + lifeMs * RENEWED_AT, endsAt: askedAt + lifeMs };
}

/** Provides the access token of a program. */
export type TokenSource = {
  /** Returns the current token. Concurrent callers share one exchange. */
  get(): Promise<string>;
  /** Discards this token if it is still the current one. */
  drop(text: string): void;
};

/**
 * Caches the token that `exchange` returns. A new one is requested at 80 % of its lifetime while calls continue with
 * the old one, so nothing waits, and a short outage of the service is not noticed before the old token expires. A
 * failed exchange is not cached.
 */
export function createTokenHolder(exchange: () => Promise<AccessToken>, now = Date.now): TokenSource {
  let held: AccessToken | undefined;
  let underWay: Promise<AccessToken> | undefined;
  const renew = (): Promise<AccessToken> =>
    (underWay ??= exchange()
      .then((token) => (held = token))
      .finally(() => {
        underWay = undefined;
      }));
  return {
    async get() {
      const inForce = held !== undefined && now() < held.endsAt ? held : undefined;
      if (inForce === undefined) return (await renew()).text;
      // If this fails, the first call after the old token has expired tries again and reports the failure.
      if (now() >= inForce.renewAt) renew().catch(() => undefined);
      return inForce.text;
    },
    drop(text) {
      if (held?.text === text) held = undefined;
    },
  };
}
