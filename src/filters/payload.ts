// What a double cannot hold exactly has 16 digits or more, and what CEL's integers hold has 20 at most.
const LONG_NUMBER = /\d{16}/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const LONG_INTEGER = /^-?\d{16,20}$/;
// A key that hides the kind of its object from the library, also when it is written with escapes.
const CONSTRUCTOR = /constructor|\\u/;
// No key of a stored payload holds NUL (http/json-guard.ts).
const EXACT = '\0exact';

/**
 * A payload (JSON text) as an expression sees it: whole numbers that a double cannot hold are bigints, all others doubles, and
 * an object with a key `constructor` is a Map. Texts without either, which is most of them, are read by JSON.parse alone.
 */
export function parsePayload(text: string): unknown {
  const hasLong = LONG_NUMBER.test(text);
  if (!hasLong && !CONSTRUCTOR.test(text)) return JSON.parse(text);
  return JSON.parse(hasLong ? markIntegers(text) : text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    // `as`: JSON.parse makes plain objects.
    const members = value as Record<string, unknown>;
    if (typeof members[EXACT] === 'string') return BigInt(members[EXACT]);
    return Object.hasOwn(members, 'constructor') ? new Map(Object.entries(members)) : value;
  });
}

function markIntegers(text: string): string {
  return text.replaceAll(STRING_OR_NUMBER, (found) =>
    LONG_INTEGER.test(found) && !Number.isSafeInteger(Number(found)) ? `{"\\u0000exact":"${found}"}` : found,
  );
}
