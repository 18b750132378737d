/** A location in a JSON document: keys and array indexes from its root. */
export type JsonPath = readonly (string | number)[];

/** A schema inside another, with its location. `keyword` is the keyword above it. */
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
// `items` is a schema or, up to draft 2019-09, a list of schemas.
const LISTS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/** Keywords whose schemas apply only where they are referred to. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the schemas directly under a keyword with their locations below it. Empty if the value of the keyword is
 * data.
 */
function subschemasUnder(keyword: string, value: unknown): { schema: unknown; place: JsonPath }[] {
  if (LISTS.has(keyword) && Array.isArray(value))
    return value.map((schema: unknown, index) => ({ schema, place: [index] }));
  if (ONE.has(keyword)) return [{ schema: value, place: [] }];
  if (MAPS.has(keyword) && isObject(value))
    return Object.entries(value).map(([name, schema]) => ({ schema, place: [name] }));
  return [];
}

/**
 * Returns the schemas directly inside a schema, for drafts 07 to 2020-12 (core §9 and §10, validation §8). Other values
 * are data.
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

/** Returns the value of a keyword with each schema directly under it replaced. Data is not changed. */
export function mapSubschemas(keyword: string, value: unknown, change: (schema: unknown) => unknown): unknown {
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map(change);
  if (ONE.has(keyword)) return change(value);
  if (MAPS.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema)]));
  return value;
}

/** Whether the value of the keyword consists of schemas, and not of data. */
export const holdsSchemas = (keyword: string): boolean => ONE.has(keyword) || LISTS.has(keyword) || MAPS.has(keyword);

/**
 * Returns the schema that a reference inside `root` points to, with its location. Supports `#` and JSON pointers as URI
 * fragments (RFC 6901 §6). Returns undefined if the reference points out of the document, to nothing, or to a value
 * that is not a schema.
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

/** Formats a location as a JSON pointer in a URI fragment, `#/properties/a`, for people: without percent-encoding. */
export const pointerTo = (place: JsonPath): string =>
  `#${place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;

/** The supported drafts of JSON Schema. */
export type SchemaDraft = '07' | '2019-09' | '2020-12';

/** For error texts. */
export const DRAFT_NAMES = '07, 2019-09 and 2020-12';

const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  'json-schema.org/draft-07/schema': '07',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

/**
 * Returns the draft that `$schema` names; 2020-12 if it is absent, undefined for anything else. The scheme and an empty
 * fragment are ignored, because all four spellings of the URI of draft 07 are in use.
 */
export function draftOf($schema: unknown): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  const name = $schema.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(DRAFTS, name) ? DRAFTS[name] : undefined;
}
