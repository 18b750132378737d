const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Longest key that is repeated to the caller, in characters: a field is a hint, not a copy of the body. */
const MAX_KEY_LENGTH = 64;

/**
 * A field's name as its author would write it: `messages[3].eventType`, `payload["two words"]`.
 * The empty path is the body as a whole.
 */
export function fieldPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else {
      const key = String(segment).slice(0, MAX_KEY_LENGTH);
      if (IDENTIFIER.test(key)) path += path === '' ? key : `.${key}`;
      else path += `[${JSON.stringify(key)}]`;
    }
  }
  return path === '' ? 'body' : path;
}
