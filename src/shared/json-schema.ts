/** A place inside a JSON document: keys and array positions from its root. */
export type Place = readonly (string | number)[];

/** One schema inside another, with its place. `keyword` is what it stands under. */
export type Subschema = { keyword: string; schema: unknown; place: Place };

const ONE = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
// `definitions` and `dependencies` are of older drafts, but Ajv still knows them.
const MAPS = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schemas directly inside a schema (JSON Schema 2020-12, core §9 and §10, validation §8). Values that are none are data. */
export function subschemasOf(schema: Readonly<Record<string, unknown>>): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    if (ONE.has(keyword)) return [{ keyword, schema: value, place: [keyword] }];
    if (LISTS.has(keyword) && Array.isArray(value))
      return value.map((each: unknown, index) => ({ keyword, schema: each, place: [keyword, index] }));
    if (MAPS.has(keyword) && isObject(value))
      return Object.entries(value).map(([name, each]) => ({ keyword, schema: each, place: [keyword, name] }));
    return [];
  });
}

/** Whether the keyword's value is schemas, and not data of its own. */
export const holdsSchemas = (keyword: string): boolean => ONE.has(keyword) || LISTS.has(keyword) || MAPS.has(keyword);

/** The name in `#/$defs/name`, unescaped (RFC 6901 §6); undefined for every other reference. */
export function definitionOf(reference: string): string | undefined {
  const escaped = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  if (escaped === undefined) return undefined;
  try {
    return decodeURIComponent(escaped).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** A place as a JSON pointer in a URI fragment, `#/properties/a`, for a person: without percent-encoding. */
export const pointerTo = (place: Place): string =>
  `#${place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
