import { JSON_TOKEN } from './raw-json.ts';

type Steps = readonly (string | number)[];
/** A value in a JSON text: the names and indexes that lead to it, its first token, and where it starts. */
type Place = { steps: Steps; token: string; index: number };

/** Returns the values of a JSON text in order, outer ones before inner ones. */
function* placesIn(json: string): Generator<Place> {
  const open: { steps: Steps; item: number | undefined; key: string | undefined }[] = [];
  for (const { 0: token, index } of json.matchAll(JSON_TOKEN)) {
    const inside = open.at(-1);
    if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (inside?.item !== undefined) inside.item += 1;
      else if (inside !== undefined) inside.key = undefined;
    } else if (token === ':') continue;
    else if (inside !== undefined && inside.item === undefined && inside.key === undefined) inside.key = keyOf(token);
    else {
      const last = inside?.item ?? inside?.key;
      const steps = last === undefined ? [] : [...(inside?.steps ?? []), last];
      yield { steps, token, index };
      if (token === '{' || token === '[') open.push({ steps, item: token === '[' ? 0 : undefined, key: undefined });
    }
  }
}

/**
 * Returns where the value at a path such as `payload.items[0].sku` starts in a JSON text, or undefined if there is
 * none.
 */
export function placeOfPath(json: string, path: string, root: string): number | undefined {
  for (const { steps, index } of placesIn(json)) {
    const own = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    if (root + own === path) return index;
  }
  return undefined;
}

/** Returns where the value at a JSON Pointer such as `/properties/total` starts, given its segments. */
export function placeOfPointer(json: string, pointer: string): number | undefined {
  for (const { steps, index } of placesIn(json)) {
    const own = steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    if (own === pointer) return index;
  }
  return undefined;
}

/**
 * Returns the path of the first text or number that equals the value, in the form that the search accepts:
 * `payload.items.*.sku`.
 */
export function pathOfValue(json: string, value: string): string | undefined {
  for (const { steps, token } of placesIn(json)) {
    const isSame = token.startsWith('"') ? keyOf(token) === value : /^[-\d]/.test(token) && token === value;
    if (isSame) return ['payload', ...steps.map(stepOf)].join('.');
  }
  return undefined;
}

const stepOf = (step: string | number): string =>
  typeof step === 'number' ? '*' : /^[A-Za-z_][\w-]*$/.test(step) ? step : JSON.stringify(step);

function keyOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
