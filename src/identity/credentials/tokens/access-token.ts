import { createHash } from 'node:crypto';
import { type CryptoKey, decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../platform/dependencies.ts';
import type { Scope } from '../../../kernel/words/rights.ts';

/**
 * Lifetime of an access token in seconds: long enough that a client requests one only four times an hour, short enough
 * that no revocation list is needed.
 */
export const TOKEN_SECONDS = 900;
/** Maximum clock difference between processes, in seconds. */
const CLOCK_TOLERANCE = 30;
const TYPE = 'at+jwt';
/** Maximum number of verified tokens to remember. The least recently used one is evicted first. */
const MAX_REMEMBERED = 10_000;

/** A verified access token. */
export type AccessToken = {
  text: string;
  /** The machine credential that obtained it. */
  id: string;
  epoch: number;
  /** The secret that obtained it. Undefined in tokens of an old release that did not record it. */
  secretId: string | undefined;
  scopes: ReadonlySet<string>;
  /** Thumbprint of the key that must sign the proof of each request. */
  thumbprint: string;
  /** Unix time in seconds. */
  expiresAt: number;
};

/** Contents of a new token. */
export type TokenGrant = {
  jti: string;
  clientId: string;
  epoch: number;
  secretId: string;
  organisationId: string;
  appId: string;
  environmentId: string;
  scopes: readonly Scope[];
  thumbprint: string;
  now: Date;
  lifeSeconds: number;
};

/**
 * Creates a JWT access token (RFC 9068) bound to a key (RFC 9449 §6.1). `issuer` is also its audience: the service
 * accepts only its own tokens.
 */
export function signAccessToken(
  { kid, key }: { kid: string; key: CryptoKey },
  issuer: string,
  grant: TokenGrant,
): Promise<string> {
  const issuedAt = Math.floor(grant.now.getTime() / 1_000);
  return new SignJWT({
    client_id: grant.clientId,
    org: grant.organisationId,
    app: grant.appId,
    env: grant.environmentId,
    scope: grant.scopes.join(' '),
    epoch: grant.epoch,
    secret_id: grant.secretId,
    cnf: { jkt: grant.thumbprint },
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: TYPE, kid })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(grant.clientId)
    .setJti(grant.jti)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + grant.lifeSeconds)
    .sign(key);
}

export type TokenReader = {
  /**
   * Returns the contents of a token; undefined if the text is not a valid token of this service. Rejects if keys cannot
   * be read.
   */
  read(text: string): Promise<AccessToken | undefined>;
};

/**
 * Reads access tokens: checks signature, type, issuer, audience and times (RFC 9068 §4). A process verifies a token
 * once and then remembers it by its hash, so that a request does not cost another signature check. Its expiry, and
 * whether its key is still known, are checked each time.
 */
export function createTokenReader({
  issuer,
  clock,
  verifier,
}: {
  issuer: string;
  clock: Clock;
  verifier: (kid: string) => Promise<CryptoKey | undefined>;
}): TokenReader {
  const remembered = new LRUCache<string, { kid: string; token: AccessToken }>({ max: MAX_REMEMBERED });

  const verify = async (text: string, key: CryptoKey): Promise<AccessToken | undefined> => {
    try {
      const { payload } = await jwtVerify(text, key, {
        algorithms: ['EdDSA'],
        typ: TYPE,
        issuer,
        audience: issuer,
        currentDate: clock(),
        clockTolerance: CLOCK_TOLERANCE,
        requiredClaims: ['exp', 'sub', 'cnf', 'scope', 'epoch'],
      });
      return readClaims(text, payload);
    } catch {
      return undefined;
    }
  };

  return {
    async read(text) {
      const name = createHash('sha256').update(text).digest('base64');
      const held = remembered.get(name);
      const kid = held?.kid ?? kidOf(text);
      const key = kid === undefined ? undefined : await verifier(kid);
      if (kid === undefined || key === undefined) return undefined;
      const token = held?.token ?? (await verify(text, key));
      if (token === undefined || clock().getTime() / 1_000 >= token.expiresAt + CLOCK_TOLERANCE) return undefined;
      if (held === undefined) remembered.set(name, { kid, token });
      return token;
    },
  };
}

/** Id of the key in the header of a token, before the token is verified. */
function kidOf(text: string): string | undefined {
  try {
    const { kid, typ } = decodeProtectedHeader(text);
    return typ === TYPE && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined for unexpected claims: only this service signs tokens, so these are from another release. */
function readClaims(
  text: string,
  { sub, exp, scope, epoch, secret_id: secretId, cnf }: JWTPayload,
): AccessToken | undefined {
  const thumbprint = typeof cnf === 'object' && cnf !== null && 'jkt' in cnf ? cnf.jkt : undefined;
  if (sub === undefined || exp === undefined || typeof scope !== 'string' || typeof epoch !== 'number')
    return undefined;
  if (typeof thumbprint !== 'string' || (secretId !== undefined && typeof secretId !== 'string')) return undefined;
  return { text, id: sub, epoch, secretId, scopes: new Set(scope.split(' ')), thumbprint, expiresAt: exp };
}
