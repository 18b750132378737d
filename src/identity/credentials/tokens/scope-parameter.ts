import { SCOPES, type Scope } from '../../../kernel/words/rights.ts';

/** `scope` of RFC 6749 §3.3: names with one space between them. */
const FORM = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/**
 * The scopes that a token request asks for, in the order of ours: all that the client has where it names none. A text says why it
 * is refused. RFC 6749 §3.3 would let us grant less than is asked for; a client that misses a right learns of it here instead.
 */
export function readScope(given: string | undefined, granted: readonly Scope[]): Scope[] | string {
  // A parameter without a value counts as left out (RFC 6749 §3.1).
  if (given === undefined || given === '') return SCOPES.filter((scope) => granted.includes(scope));
  if (!FORM.test(given)) return 'must be names with one space between them';
  const names = given.split(' ');
  const unknown = names.find((name) => !granted.some((scope) => scope === name));
  if (unknown !== undefined) return 'names what this credential does not have';
  return SCOPES.filter((scope) => names.includes(scope));
}
