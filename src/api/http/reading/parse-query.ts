import { invalidField } from '../../../kernel/errors.ts';

/**
 * Reads a query string (without the question mark). Throws INVALID_REQUEST, with the parameter as the field, for a
 * repeated parameter, a broken percent-escape or a NUL: URLSearchParams would take the first, mend the second and keep the third.
 */
export function parseQuery(text: string): Record<string, string> {
  if (text === '') return {};
  const found = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query');
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), name);
    if (found.has(name)) throw invalidField(name, 'is given more than once');
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function decode(text: string, field: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidField(field, 'has a broken percent-escape');
  }
  if (decoded.includes('\0')) throw invalidField(field, 'contains a NUL character');
  return decoded;
}
