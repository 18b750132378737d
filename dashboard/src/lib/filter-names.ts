import { memberText, memberTexts } from './raw-json.ts';

/** A misspelt name, its position in the filter, and the name that is probably meant. */
type Misspelt = { message: string; from: number; to: number; fix: string };

/** Values that a filter refers to, such as payload.order.total. */
const NAMED = /\bpayload(?:\.[A-Za-z_]\w*)+/g;
/** A name inside `has` may be absent on purpose. */
const ASKED = /\bhas\(\s*$/;
/** Longest value to show. */
const MOST_SHOWN = 40;

/** Returns the payload values that a filter refers to, as they are written, digit for digit: `total 250.64`. */
export function valuesNamed(filter: string, payload: string): string {
  return [...new Set(filter.match(NAMED) ?? [])]
    .map((name) => {
      const path = name.split('.').slice(1);
      const value = path.reduce<string | undefined>(
        (text, part) => (text === undefined ? undefined : memberText(text, part)),
        payload,
      );
      const shown = value === undefined || value.length <= MOST_SHOWN ? value : `${value.slice(0, MOST_SHOWN)}…`;
      return `${path.join('.')} ${shown ?? '—'}`;
    })
    .join(', ');
}

/** Returns names in a filter that no payload has, if the payloads have one that is spelt almost the same. */
export function misspeltNames(filter: string, payloads: readonly string[]): Misspelt[] {
  if (payloads.length === 0) return [];
  return [...filter.matchAll(NAMED)].flatMap(({ 0: name, index }): Misspelt[] => {
    if (ASKED.test(filter.slice(0, index))) return [];
    let texts = payloads;
    let from = index + 'payload'.length;
    for (const part of name.split('.').slice(1)) {
      from += 1;
      const found = texts.flatMap((text) => memberText(text, part) ?? []);
      if (found.length === 0) {
        const fix = nearest(part, new Set(texts.flatMap((text) => memberTexts(text).map(([key]) => key))));
        return fix === undefined ? [] : [{ message: `Unknown field ${part}`, from, to: from + part.length, fix }];
      }
      texts = found;
      from += part.length;
    }
    return [];
  });
}

/** Returns the name that differs by one or two letters. */
function nearest(name: string, among: ReadonlySet<string>): string | undefined {
  const most = name.length > 4 ? 2 : 1;
  return [...among]
    .map((each) => [each, distance(name.toLowerCase(), each.toLowerCase())] as const)
    .filter(([, letters]) => letters <= most)
    .toSorted(([, one], [, other]) => one - other)[0]?.[0];
}

/**
 * Returns how many letters must be inserted, removed or replaced to turn one name into the other (Levenshtein
 * distance).
 */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * Whether a subscription or a trigger with these event types receives a message of that type, by the service's rule
 * (src/kernel/words/event-types.ts). An empty list matches all.
 */
export const hasEventType = (wanted: readonly string[], type: string): boolean =>
  wanted.length === 0 ||
  wanted.some((each) => each === '*' || each === type || (each.endsWith('.*') && type.startsWith(each.slice(0, -1))));
