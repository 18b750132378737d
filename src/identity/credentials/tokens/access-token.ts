import { createHash } from 'node:crypto';
import { type CryptoKey, decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../platform/dependencies.ts';
import type { Scope } from '../../../kernel/words/rights.ts';

/** Life of an access token, s: long enough that a client asks four times an hour, short enough that nothing needs a list of the revoked. */
export const TOKEN_SECONDS = 900;
/** Clocks of the service's processes differ by less than this, in seconds. */
const CLOCK_TOLERANCE = 30;
const TYPE = 'at+jwt';
/** Tokens that are remembered as verified; the one that was asked for longest ago goes first. */
const MAX_REMEMBERED = 10_000;

/** An access token, as the service reads it. */
export type AccessToken = {
  text: string;
  /** The machine credential that got it. */
  id: string;
  epoch: number;
  /** Its secret that got the token; undefined in a token of a release that did not note it. */
  secretId: string | undefined;
  scopes: ReadonlySet<string>;
  /** Thumbprint of the key that each request is proven with. */
  thumbprint: string;
  /** Unix time, s. */
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

/** A JWT access token (RFC 9068) bound to a key (RFC 9449 §6.1). `issuer` is its audience as well: the service takes its own alone. */
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
  /** A token's contents; undefined for every text that is no token of ours that holds now. Rejects when keys cannot be read. */
  read(text: string): Promise<AccessToken | undefined>;
};

/**
 * Reads access tokens: signature by a key that is known, type, issuer, audience and times (RFC 9068 §4). A token is verified once in
 * a process and then remembered by its hash, so that a call costs no second signature. Its times, and whether its key is still known,
 * are looked at each time.
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

/** Name of the key in a token's header, before anything in it is believed. */
function kidOf(text: string): string | undefined {
  try {
    const { kid, typ } = decodeProtectedHeader(text);
    return typ === TYPE && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for claims of another form: nobody but us signs, so these are of another release. */
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
