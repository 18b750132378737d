import { createHash, randomBytes } from 'node:crypto';
import { parseUrl } from '../../../kernel/values/http.ts';

/**
 * `session` says who is signed in; `device` tells a browser that was signed in before from a stranger's; `second-step` is of one whose
 * password was right; `single-sign-on` is of one that was sent to the identity provider.
 */
type CookieKind = 'session' | 'device' | 'second-step' | 'single-sign-on';

export type Cookies = {
  /** Why nobody may sign in through this Host; undefined when they may. */
  hostProblem(host: string): string | undefined;
  /** The Set-Cookie header that keeps the secret for so long; of no secret, the one that makes the browser forget it. */
  write(kind: CookieKind, secret: string | undefined, maxAgeMs: number): string;
  /** The secret among the values of Cookie headers. Undefined without one, with a malformed one and with several. */
  read(kind: CookieKind, headers: readonly string[]): string | undefined;
  /** How many of that kind there are, malformed ones as well. */
  count(kind: CookieKind, headers: readonly string[]): number;
};

type Settings = { publicBaseUrl: string; allowHttpSignIn: boolean };

/**
 * Cookies of people. Under https their names begin with `__Host-`: browsers then take them only with Secure, from this very host and
 * for all of its paths, so that no neighbour can plant one. Plain http has neither, and is for loopback unless a setting allows it.
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
        : 'Signing in needs https: set PUBLIC_BASE_URL to an https address, or ALLOW_HTTP_SIGN_IN=true in a network that you trust',
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

/** Whether a Host header names this machine itself. */
function isLoopback(host: string): boolean {
  const name = parseUrl(`http://${host}`)?.hostname ?? '';
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** 256 random bits as 43 characters: the content of a cookie, or of a link of one use. Never stored. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url');

/**
 * SHA-256 of such a text, by which it is looked up: with 256 random bits there is nothing to guess, and a unique index has no timing
 * that says how much of it was right. Not for secrets that people choose.
 */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text can be such a secret at all; otherwise it is worth no query. */
const hasSecretForm = (text: string): boolean => FORM.test(text);
