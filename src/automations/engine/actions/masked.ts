import { randomUUID } from 'node:crypto';
import { StepFailed } from '../step-failure.ts';
import { createTextFinder } from './text-finder.ts';

/** A place in a recorded text, by field, where a secret is inserted when the step is executed. */
export type SecretPlace = { field: string; at: number; name: string };

/** Returns secrets of an environment by name; missing ones are absent. */
export type OpenSecrets = (environmentId: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** How a secret is displayed. */
const shown = (name: string): string => `[secret ${name}]`;

/**
 * Finds the places of secrets while templates are resolved. `secretOf` inserts a random mark that no message can
 * contain; `take` replaces the marks with `[secret NAME]` and records where. A message that contains the text `[secret
 * NAME]` therefore gets no secret.
 */
export function createMasking(): {
  secretOf: (name: string) => string;
  take: (field: string, text: string) => string;
  places: readonly SecretPlace[];
} {
  const mark = randomUUID();
  const places: SecretPlace[] = [];
  return {
    secretOf: (name) => `${mark}${name}${mark}`,
    take(field, text) {
      // Every second piece is a name between two marks.
      const pieces = text.split(mark);
      return pieces.reduce((masked, piece, index) => {
        if (index % 2 === 0) return masked + piece;
        places.push({ field, at: masked.length, name: piece });
        return masked + shown(piece);
      }, '');
    },
    places,
  };
}

/** The places by field, in order. */
export type PlacesByField = ReadonlyMap<string, readonly SecretPlace[]>;

export function placesByField(places: readonly SecretPlace[]): PlacesByField {
  const found = new Map<string, SecretPlace[]>();
  for (const place of places) {
    const ofField = found.get(place.field);
    if (ofField === undefined) found.set(place.field, [place]);
    else ofField.push(place);
  }
  return found;
}

/** Returns a recorded text with its secrets filled in. */
export function unmasked(
  field: string,
  text: string,
  { places, secrets }: { places: PlacesByField; secrets: ReadonlyMap<string, string> },
): string {
  let filled = '';
  let from = 0;
  for (const { at, name } of places.get(field) ?? []) {
    filled += text.slice(from, at) + (secrets.get(name) ?? '');
    from = at + shown(name).length;
  }
  return filled + text.slice(from);
}

/** Limits per request: more than a receiver accepts in headers, and few enough to find in its response in one pass. */
const MOST_SECRETS = { count: 100, bytes: 32_768 };

/**
 * Returns the secrets for these places. Throws StepFailed with SECRET_MISSING if the environment no longer has one, and
 * with PAYLOAD_TOO_LARGE for more than 100 secrets or 32 KiB in total.
 */
export async function secretsAt(
  open: OpenSecrets,
  environmentId: string,
  places: readonly SecretPlace[],
): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(places.map(({ name }) => name))];
  if (names.length === 0) return new Map();
  if (names.length > MOST_SECRETS.count)
    throw new StepFailed('PAYLOAD_TOO_LARGE', `a request can have at most ${MOST_SECRETS.count} different secrets`);
  const secrets = await open(environmentId, names);
  const missing = names.find((name) => !secrets.has(name));
  if (missing !== undefined)
    throw new StepFailed('SECRET_MISSING', `the environment has no secret ${JSON.stringify(missing)}`);
  const bytes = [...secrets.values()].reduce((sum, secret) => sum + Buffer.byteLength(secret), 0);
  if (bytes > MOST_SECRETS.bytes)
    throw new StepFailed(
      'PAYLOAD_TOO_LARGE',
      `the secrets of a request can have at most ${MOST_SECRETS.bytes} bytes together, not ${bytes}`,
    );
  return secrets;
}

/** Replaces secrets in a response, so that a receiver that sends them back does not get them into a record. */
export type Mask = {
  text(said: string): string;
  value(said: unknown): unknown;
  /**
   * Masks a text that was cut off. It may end within a secret, so as many characters as the longest secret has are
   * removed from its end.
   */
  beginning(said: string): string;
};

/**
 * Finds each secret in plain text, base64, URL-encoded and JSON-encoded form, and the path of a secret that is a URL,
 * which receivers often repeat. Does not find other encodings, or a secret whose parts are separated.
 */
export function createMask(secrets: Iterable<readonly [name: string, secret: string]>): Mask {
  const forms = [...secrets]
    .flatMap(([name, secret]) => formsOf(secret).map((form) => [form, shown(name)] as const))
    .filter(([form]) => form !== '');
  const find = createTextFinder(forms.map(([form]) => form));
  // Avoids converting every number of a large array: few secrets can occur in numbers.
  const isInNumbers = forms.some(([form]) => OF_NUMBERS.test(form));
  const text = (said: string): string => {
    const hits = find(said);
    if (hits.length === 0) return said;
    // Overlapping secrets are replaced completely; the name of the longest is shown.
    const pieces = hits.map(({ start, found }, index) => [
      said.slice(hits[index - 1]?.end ?? 0, start),
      forms[found]?.[1],
    ]);
    return `${pieces.flat().join('')}${said.slice(hits.at(-1)?.end)}`;
  };
  const value = (said: unknown): unknown => {
    if (typeof said === 'string') return text(said);
    if (typeof said === 'number' || typeof said === 'bigint') {
      if (!isInNumbers) return said;
      const written = String(said);
      const masked = text(written);
      return masked === written ? said : masked;
    }
    if (Array.isArray(said)) return said.map(value);
    if (typeof said !== 'object' || said === null) return said;
    const entries = said instanceof Map ? [...(said as Map<string, unknown>)] : Object.entries(said);
    return Object.fromEntries(entries.map(([key, member]) => [text(key), value(member)]));
  };
  const longest = Math.max(0, ...forms.map(([form]) => form.length));
  const beginning = (said: string): string => text(said).slice(0, -longest);
  return forms.length === 0
    ? { text: (said) => said, value: (said) => said, beginning: (said) => said }
    : { text, value, beginning };
}

/** Characters of numbers. */
const OF_NUMBERS = /^[-+.\de]+$/;

// Other encodings of two or three characters would be found in any text.
const LEAST_CODED = 4;
// A shorter path is hardly the secret part of a URL, and would be found in other texts.
const LEAST_PATH = 8;

function formsOf(secret: string): string[] {
  if (secret.length < LEAST_CODED) return [secret];
  const base64 = Buffer.from(secret).toString('base64');
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, base64, base64.replace(/={1,2}$/, ''), Buffer.from(secret).toString('base64url'), inJson];
  forms.push(...pathsOf(secret));
  return [...new Set([...forms, encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)])];
}

/** Returns the path of a URL, with and without its query. */
function pathsOf(secret: string): string[] {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return [];
  const { pathname, search } = new URL(secret);
  return pathname.length < LEAST_PATH ? [] : [pathname + search, pathname];
}
