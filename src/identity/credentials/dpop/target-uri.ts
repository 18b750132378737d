import { parseUrl } from '../../../kernel/values/http.ts';

/** Characters that mean the same with and without a percent-escape (RFC 3986 §2.3). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * A target URI in the one form in which two of them are compared (RFC 9449 §4.3, by RFC 3986 §6.2.2 and §6.2.3): scheme and host
 * in lower case, no default port, no dot segments, escapes only where they are needed and in upper case, without query and fragment.
 * Undefined for what is no http or https URL, and for one with a user name. A slash at the end and a dot behind the host count.
 */
export function normaliseTargetUri(text: string): string | undefined {
  // The parser would drop these, and so two texts of which one is no URI would be the same.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\')) return undefined;
  const url = /^https?:\/\/[^/]/i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined || /^[^/]*\/\/[^/?#]*@/.test(text)) return undefined;
  return `${url.protocol}//${url.host}${normaliseEscapes(url.pathname)}`;
}

const normaliseEscapes = (path: string): string =>
  path.replaceAll(/%([0-9A-Fa-f]{2})/g, (escape, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
