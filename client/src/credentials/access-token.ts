import { memberOf, PosthornError } from '../errors.ts';

export type AccessToken = {
  text: string;
  /** Milliseconds since the epoch, by this machine's clock, as is the next one. */
  renewAt: number;
  endsAt: number;
};

/** Tokens are renewed when so much of their life is over (docs/reference/token-exchange.md, Request a token). */
const RENEWED_AT = 0.8;

/** The token of an answer of POST /oauth/token, which was asked for at `askedAt`. */
export function readToken(body: unknown, askedAt: number): AccessToken {
  const text = memberOf(body, 'access_token');
  const lifeSeconds = memberOf(body, 'expires_in');
  if (typeof text !== 'string' || typeof lifeSeconds !== 'number')
    throw new PosthornError('POST /oauth/token has answered with something that is no token');
  const lifeMs = lifeSeconds * 1_000;
  return { text, renewAt: askedAt + lifeMs * RENEWED_AT, endsAt: askedAt + lifeMs };
}

/** The one token of a program. */
export type TokenSource = {
  /** The token in force. Callers at the same time share one exchange. */
  get(): Promise<string>;
  /** Forgets this token, if it is still the one in force. */
  drop(text: string): void;
};

/**
 * Holds the token that `exchange` gets. At 80 % of its life another one is got, while calls go on with the old one: nobody waits for
 * it, and a service that hands out none for a while is not noticed before the old one ends. A failed exchange is not kept.
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
      // The failure is met by the first call after the old token's end, which tries again.
      if (now() >= inForce.renewAt) renew().catch(() => undefined);
      return inForce.text;
    },
    drop(text) {
      if (held?.text === text) held = undefined;
    },
  };
}
