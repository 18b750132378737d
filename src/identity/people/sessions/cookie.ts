import { createHash, randomBytes } from 'node:crypto';
import { parseUrl } from '../../../kernel/values/http.ts';

/**
 * `session` identifies who is signed in; `device` recognises a browser that has signed in before; `second-step` belongs
 * to a sign-in whose password was correct; `single-sign-on` to one that was sent to the identity provider.
 */
type CookieKind = 'session' | 'device' | 'second-step' | 'single-sign-on';

export type Cookies = {
  /** Returns why nobody can sign in through this Host; undefined if they can. */
  hostProblem(host: string): string | undefined;
  /**
   * Returns the Set-Cookie header that stores the secret for that long, or deletes the cookie if `secret` is undefined.
   */
  write(kind: CookieKind, secret: string | undefined, maxAgeMs: number): string;
  /** Returns the secret from the values of Cookie headers. Undefined if there is none, several, or a malformed one. */
  read(kind: CookieKind, headers: readonly string[]): string | undefined;
  /** Returns how many cookies of that kind there are, including malformed ones. */
  count(kind: CookieKind, headers: readonly string[]): number;
};

type Settings = { publicBaseUrl: string; allowHttpSignIn: boolean };

/**
 * Cookies of users. Under https their names begin with `__Host-`, so that browsers accept them only with Secure, from
 * this exact host and for all of its paths, and no neighbouring host can plant one. Plain http has neither, and is
 * limited to loopback unless a setting allows it.
 */
export function createCookies({ publicBaseUrl, allowHttpSignIn }: Settings): Cookies {
  const isSecure = publicBaseUrl.startsWith('https://');
  const nameOf = (kind: CookieKind): string => `${isSecure ? '__Host-' : ''}posthorn-${kind}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const valuesOf = (kind: CookieKind, headers: readonly string[]): string[] => {
    const prefix = `${nameOf(kind)}=`;
    return headers
      .flatMap((header) => header.split(';'))
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
  };
  return {
    hostProblem: (host) =>
      isSecure || allowHttpSignIn || isLoopback(host)
        ? undefined
        : 'Signing in requires https. Set PUBLIC_BASE_URL to an https URL, or ALLOW_HTTP_SIGN_IN=true in a network that you trust',
    write: (kind, secret, maxAgeMs) =>
      `${nameOf(kind)}=${secret ?? ''}; Max-Age=${secret === undefined ? 0 : Math.floor(maxAgeMs / 1_000)}; ${attributes}`,
    read(kind, headers) {
      const found = valuesOf(kind, headers);
      const [secret = ''] = found;
      return found.length === 1 && hasSecretForm(secret) ? secret : undefined;
    },
    count: (kind, headers) => valuesOf(kind, headers).length,
  };
}

/** Whether a Host header names this machine. */
function isLoopback(host: string): boolean {
  const name = parseUrl(`http://${host}`)?.hostname ?? '';
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** Creates 256 random bits as 43 characters, for a cookie or a one-time link. Never stored. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url');

/**
 * SHA-256 of such a secret, for looking it up. With 256 random bits it cannot be guessed, and a unique index has no
 * timing that reveals how much of it was right. Not for secrets that people choose.
 */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text can be such a secret at all. If not, it is not worth a query. */
const hasSecretForm = (text: string): boolean => FORM.test(text);
