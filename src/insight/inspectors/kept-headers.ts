/** Names of headers and of parameters whose values are secrets; PostgreSQL masks attempts by the same rule (`posthorn_masked_headers`). */
const SECRET_NAMES = /auth|cookie|key|token|secret|passw|pwd|passphrase|credential|session|signature|jwt|hmac|bearer/i;
const SECRET_VALUES = /^(?:basic|bearer|digest|token|apikey|negotiate)[ :=]/i;
/** A JSON Web Token, which access proxies add under many names to requests of people. */
const JWT_VALUE = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
/** Proofs that their names do not tell. */
const PROOFS: ReadonlySet<string> = new Set(['dpop', 'x-amzn-oidc-data']);
/** Inspectors are there to show it, and it proves this one request alone. */
const SIGNATURE = 'webhook-signature';

const isSecret = (name: string, value: string): boolean =>
  SECRET_NAMES.test(name) || SECRET_VALUES.test(value) || JWT_VALUE.test(value);

/** The value of a header as it is kept: of one that proves who asks, the scheme in front of it and how long it is. */
export function keptValue(name: string, value: string): string {
  const plain = name.toLowerCase();
  if (plain === SIGNATURE || !(PROOFS.has(plain) || isSecret(plain, value))) return value;
  const [, scheme = ''] = /^(\w+ )?/.exec(value) ?? [];
  const shown = plain.endsWith('authorization') ? scheme : '';
  return `${shown}(${value.length - shown.length} characters, not kept)`;
}

/** A path with its query as it is kept: without the values of parameters that are secrets. */
export function keptPath(path: string): string {
  const [before = '', ...query] = path.split('?');
  if (query.length === 0) return path;
  const pairs = query.join('?').split('&');
  return `${before}?${pairs.map(keptPair).join('&')}`;
}

function keptPair(pair: string): string {
  const at = pair.indexOf('=');
  if (at < 0) return pair;
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  return isSecret(decoded(name), value) ? `${name}=***` : pair;
}

/** Anybody may send anything: what is no encoded text stands as it came. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
