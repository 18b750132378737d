import { JSON_TOKEN } from './raw-json.ts';

/** The position of a secret's characters in a body, without the quotes, and the shell variable that replaces it. */
type Secret = { from: number; to: number; variable: string };

/** Members whose texts are secrets, anywhere except inside the caller's own data. */
const NAMES = /^(secrets?|password|newPassword|currentPassword|code|recoveryCode|clientSecret|signingSecret)$/;
/** Headers that carry credentials. */
const HEADERS = /auth|token|key|secret|cookie|password|credential/i;
/** Members that hold the caller's own data, whose names are arbitrary. */
const OWN = new Set(['payload', 'metadata', 'definition', 'schemas', 'schema', 'filter', 'steps']);

/**
 * Finds the secrets in the body of a request. `isOfSecret`: the request is about a secret, so its `value` is one too.
 */
export function secretsOf(body: string, isOfSecret: boolean): Secret[] {
  const found: Secret[] = [];
  /** Objects and arrays that are open, each with the name of the member that holds it. */
  const open: { name: string; isObject: boolean }[] = [];
  let key = '';
  let isKey = false;
  const isSecret = (): boolean => {
    const [first = '', ...others] = [...open.map(({ name }) => name), key].filter((name) => name !== '');
    if (OWN.has(first)) return false;
    if (first === 'credentials') return true;
    if (first === 'headers') return HEADERS.test(key);
    return (isOfSecret && first === 'value') || [first, ...others].some((name) => NAMES.test(name));
  };
  for (const { 0: token, index } of body.matchAll(JSON_TOKEN)) {
    if (token === '{' || token === '[') {
      open.push({ name: key, isObject: token === '{' });
      key = '';
      isKey = token === '{';
    } else if (token === '}' || token === ']') {
      key = open.pop()?.name ?? '';
      isKey = false;
    } else if (token === ',') {
      isKey = open.at(-1)?.isObject === true;
    } else if (token === ':') {
      isKey = false;
    } else if (isKey) {
      // `as`: the text of a JSON string parses to a string.
      key = JSON.parse(token) as string;
    } else if (token.startsWith('"') && isSecret()) {
      found.push({
        from: index + 1,
        to: index + token.length - 1,
        variable: variableOf(key || (open.at(-1)?.name ?? '')),
      });
    }
  }
  return found;
}

const variableOf = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
    .replace(/^(?=\d|$)/, 'SECRET');
