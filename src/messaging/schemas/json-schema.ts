/** A place inside a JSON document: keys and array positions from its root. */
export type JsonPath = readonly (string | number)[];

/** One schema inside another, with its place. `keyword` is the keyword above it. */
export type Subschema = { keyword: string; schema: unknown; place: JsonPath };

const ONE = new Set([
  'additionalItems',
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
// `items` is one schema or, up to draft 2019-09, a list of them.
const LISTS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/** Keywords whose schemas hold only where something refers to them. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schemas directly under a keyword, with their places below it; none where the keyword's value is data. */
function subschemasUnder(keyword: string, value: unknown): { schema: unknown; place: JsonPath }[] {
  if (LISTS.has(keyword) && Array.isArray(value))
    return value.map((schema: unknown, index) => ({ schema, place: [index] }));
  if (ONE.has(keyword)) return [{ schema: value, place: [] }];
  if (MAPS.has(keyword) && isObject(value))
    return Object.entries(value).map(([name, schema]) => ({ schema, place: [name] }));
  return [];
}

/**
 * The schemas directly inside a schema, of drafts 07 to 2020-12 (core §9 and §10, validation §8). Values that are no schemas are data.
 */
export function subschemasOf(schema: Readonly<Record<string, unknown>>): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] =>
    subschemasUnder(keyword, value).map(({ schema: inner, place }) => ({
      keyword,
      schema: inner,
      place: [keyword, ...place],
    })),
  );
}

/** The value of a keyword with each schema directly under it replaced; data stays as it is. */
export function mapSubschemas(keyword: string, value: unknown, change: (schema: unknown) => unknown): unknown {
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map(change);
  if (ONE.has(keyword)) return change(value);
  if (MAPS.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema)]));
  return value;
}

/** Whether the keyword's value is schemas, and not data of its own. */
export const holdsSchemas = (keyword: string): boolean => ONE.has(keyword) || LISTS.has(keyword) || MAPS.has(keyword);

/**
 * The schema that a reference inside `root` leads to, with its place: `#` and JSON pointers as URI fragments (RFC 6901 §6). Undefined
 * for a reference that leads out of the document, to nothing, or to a value that is no schema.
 */
export function resolveReference(
  root: Readonly<Record<string, unknown>>,
  reference: string,
): { schema: unknown; place: JsonPath } | undefined {
  const wanted = pointerParts(reference);
  if (wanted === undefined) return undefined;
  let schema: unknown = root;
  let place: JsonPath = [];
  while (place.length < wanted.length) {
    if (!isObject(schema)) return undefined;
    const rest = wanted.slice(place.length);
    const next = subschemasOf(schema).find((inner) => inner.place.every((part, index) => String(part) === rest[index]));
    if (next === undefined) return undefined;
    schema = next.schema;
    place = [...place, ...next.place];
  }
  return { schema, place };
}

function pointerParts(reference: string): string[] | undefined {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return undefined;
  try {
    const parts = reference.slice(2).split('/');
    return parts.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}

/** A place as a JSON pointer in a URI fragment, `#/properties/a`, for a person: without percent-encoding. */
export const pointerTo = (place: JsonPath): string =>
  `#${place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;

/** The drafts of JSON Schema that a channel's schema may be of. */
export type SchemaDraft = '07' | '2019-09' | '2020-12';

/** For a person. */
export const DRAFT_NAMES = '07, 2019-09 and 2020-12';

const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  'json-schema.org/draft-07/schema': '07',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

/**
 * The draft that a schema's `$schema` names; 2020-12 without one. Undefined for anything else. The scheme and an empty fragment
 * make no difference: authors write the address of draft 07 in all four ways.
 */
export function draftOf($schema: unknown): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  const name = $schema.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(DRAFTS, name) ? DRAFTS[name] : undefined;
}
