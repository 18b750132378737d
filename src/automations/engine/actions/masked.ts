import { randomUUID } from 'node:crypto';
import { StepFailed } from '../step-failure.ts';

/** A place in a recorded text, named by its field, where a secret is to stand when the step is done. */
export type SecretPlace = { field: string; at: number; name: string };

/** Secrets of an environment by their names; those that are missing are absent. */
export type OpenSecrets = (environmentId: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** How a secret is shown. */
const shown = (name: string): string => `[secret ${name}]`;

/**
 * Finds the places of secrets while templates are resolved. `secretOf` puts a mark in each place that no message can hold, because it is
 * made anew for each step; `take` replaces the marks by `[secret NAME]` and remembers where. So a message that itself says
 * `[secret NAME]` gets no secret.
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

/** A recorded text with its secrets in their places. */
export function unmasked(
  field: string,
  text: string,
  { places, secrets }: { places: readonly SecretPlace[]; secrets: ReadonlyMap<string, string> },
): string {
  let filled = '';
  let from = 0;
  for (const { at, name } of places.filter((place) => place.field === field)) {
    filled += text.slice(from, at) + (secrets.get(name) ?? '');
    from = at + shown(name).length;
  }
  return filled + text.slice(from);
}

/** The secrets that stand in these places. Throws StepFailed with SECRET_MISSING for one that the environment has no more. */
export async function secretsAt(
  open: OpenSecrets,
  environmentId: string,
  places: readonly SecretPlace[],
): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(places.map(({ name }) => name))];
  if (names.length === 0) return new Map();
  const secrets = await open(environmentId, names);
  const missing = names.find((name) => !secrets.has(name));
  if (missing !== undefined)
    throw new StepFailed('SECRET_MISSING', `the environment has no secret ${JSON.stringify(missing)}`);
  return secrets;
}

/** Replaces secrets in what a receiver said, so that one which sends them back puts them in no record. */
export type Mask = {
  text(said: string): string;
  value(said: unknown): unknown;
  /** A text that was cut may end within a secret: as many characters as the longest one has are left out at its end. */
  beginning(said: string): string;
};

/**
 * Finds each secret as it is, in base64, as a part of a URL and as a part of a JSON text; and the path of one that is an address, which
 * a receiver repeats as what it was asked for. Not found: a secret in any other coding, and
 * one whose parts stand apart.
 */
export function createMask(secrets: Iterable<readonly [name: string, secret: string]>): Mask {
  const forms = [...secrets]
    .flatMap(([name, secret]) => formsOf(secret).map((form) => [form, shown(name)] as const))
    // A secret that is a part of another one leaves nothing of the longer one behind.
    .toSorted(([one], [other]) => other.length - one.length);
  const text = (said: string): string =>
    forms.reduce((masked, [form, instead]) => masked.replaceAll(form, () => instead), said);
  const value = (said: unknown): unknown => {
    if (typeof said === 'string') return text(said);
    if (typeof said === 'number' || typeof said === 'bigint') {
      const masked = text(String(said));
      return masked === String(said) ? said : masked;
    }
    if (Array.isArray(said)) return said.map(value);
    if (typeof said !== 'object' || said === null) return said;
    const entries = said instanceof Map ? [...(said as Map<string, unknown>)] : Object.entries(said);
    return Object.fromEntries(entries.map(([key, member]) => [text(key), value(member)]));
  };
  const longest = forms[0]?.[0].length ?? 0;
  const beginning = (said: string): string => text(said).slice(0, -longest);
  return forms.length === 0
    ? { text: (said) => said, value: (said) => said, beginning: (said) => said }
    : { text, value, beginning };
}

// Other codings of two or three characters would be found in any text.
const LEAST_CODED = 4;
// A shorter path is hardly what an address keeps secret, and is found in other texts.
const LEAST_PATH = 8;

function formsOf(secret: string): string[] {
  if (secret.length < LEAST_CODED) return [secret];
  const base64 = Buffer.from(secret).toString('base64');
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, base64, base64.replace(/={1,2}$/, ''), Buffer.from(secret).toString('base64url'), inJson];
  forms.push(...pathsOf(secret));
  return [...new Set([...forms, encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)])];
}

/** The path of an address, with its query and without. */
function pathsOf(secret: string): string[] {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return [];
  const { pathname, search } = new URL(secret);
  return pathname.length < LEAST_PATH ? [] : [pathname + search, pathname];
}
