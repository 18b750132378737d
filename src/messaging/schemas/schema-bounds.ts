import {
  holdsSchemas,
  isObject,
  type JsonPath,
  pointerTo,
  resolveReference,
  subschemasOf,
  draftOf,
  DRAFT_NAMES,
} from './json-schema.ts';

/**
 * Bounds for the schema of a channel. A schema within them compiles in a small part of the allowed time. Bytes are of
 * UTF-8 as JSON without white space; depth and nodes count objects and arrays; combinators are allOf, anyOf, oneOf, not
 * and if; properties are those of one object.
 */
export const SCHEMA_BOUNDS = {
  bytes: 32 * 1024,
  depth: 16,
  nodes: 1_000,
  enumValues: 500,
  properties: 300,
  combinators: 20,
  nestedCombinators: 3,
  patternLength: 200,
} as const;

const COMBINATORS = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if']);

const FORBIDDEN = new Set([
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  '$vocabulary',
  '$async',
  '$data',
]);

type Problem = { place: JsonPath; reason: string };

/**
 * Returns why a channel cannot have this schema, with the location as a JSON pointer; undefined if it is within all
 * bounds. Ajv checks afterwards whether it is valid JSON Schema. `schema` comes from JSON.parse. Reports the outermost
 * problem.
 */
export function schemaProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  const problem = sizeProblem(schema) ?? formProblem(schema) ?? circleProblem(schema);
  if (problem === undefined) return undefined;
  return problem.place.length === 0 ? problem.reason : `at ${pointerTo(problem.place)}: ${problem.reason}`;
}

/** Number of UTF-8 bytes, without Buffer, which this folder must not use. */
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** A loop instead of a recursion, so that deep nesting cannot overflow the stack before it is rejected. */
function sizeProblem(schema: unknown): Problem | undefined {
  const open: { value: object; place: JsonPath }[] = [{ value: Object(schema) as object, place: [] }];
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, place } = next;
    nodes += 1;
    if (nodes > SCHEMA_BOUNDS.nodes)
      return { place: [], reason: `must hold at most ${SCHEMA_BOUNDS.nodes} objects and arrays` };
    if (place.length >= SCHEMA_BOUNDS.depth)
      return { place, reason: `must not be nested deeper than ${SCHEMA_BOUNDS.depth} levels` };
    const isList = Array.isArray(value);
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null)
        open.push({ value: inner as object, place: [...place, isList ? Number(key) : key] });
    }
  }
  const { bytes } = SCHEMA_BOUNDS;
  return bytesOf(JSON.stringify(schema)) > bytes
    ? { place: [], reason: `must be at most ${bytes} bytes of JSON` }
    : undefined;
}

/** Visits every inner schema but not data (enum, const, examples). sizeProblem limits the depth. */
function formProblem(root: Readonly<Record<string, unknown>>): Problem | undefined {
  let combinators = 0;
  const visit = (schema: unknown, place: JsonPath, nested: number): Problem | undefined => {
    if (!isObject(schema)) return undefined;
    for (const [keyword, value] of Object.entries(schema)) {
      const problem = keywordProblem(root, place, keyword, value);
      if (problem !== undefined) return { place: [...place, keyword], reason: problem };
      if (!COMBINATORS.has(keyword)) continue;
      combinators += 1;
      if (combinators > SCHEMA_BOUNDS.combinators)
        return {
          place: [],
          reason: `must have at most ${SCHEMA_BOUNDS.combinators} of allOf, anyOf, oneOf, not and if`,
        };
      if (nested >= SCHEMA_BOUNDS.nestedCombinators)
        return {
          place: [...place, keyword],
          reason: `must not be nested in more than ${SCHEMA_BOUNDS.nestedCombinators - 1} other allOf, anyOf, oneOf, not or if`,
        };
    }
    for (const { keyword, schema: inner, place: inside } of subschemasOf(schema)) {
      const problem = visit(inner, [...place, ...inside], nested + (COMBINATORS.has(keyword) ? 1 : 0));
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(root, [], 0);
}

function keywordProblem(
  root: Readonly<Record<string, unknown>>,
  place: JsonPath,
  keyword: string,
  value: unknown,
): string | undefined {
  if (FORBIDDEN.has(keyword)) return 'must not be used: the keyword is not supported';
  if (isObject(value) && !holdsSchemas(keyword) && Object.hasOwn(value, '$data'))
    return 'must not be a $data reference';
  const { enumValues, properties } = SCHEMA_BOUNDS;
  switch (keyword) {
    case '$schema':
      if (place.length > 0) return 'must be at the outermost level';
      return draftOf(value) === undefined ? `must name one of the drafts ${DRAFT_NAMES}` : undefined;
    case '$ref':
      return referenceProblem(root, value);
    case 'enum':
      return Array.isArray(value) && value.length > enumValues ? `must have at most ${enumValues} values` : undefined;
    case 'pattern':
      return typeof value === 'string' ? patternProblem(value) : undefined;
    case 'patternProperties':
    case 'properties':
    case 'dependentSchemas': {
      const names = isObject(value) ? Object.keys(value) : [];
      if (names.length > properties) return `must have at most ${properties} properties`;
      return keyword === 'patternProperties'
        ? names.map(patternProblem).find((problem) => problem !== undefined)
        : undefined;
    }
    default:
      return undefined;
  }
}

const patternProblem = (pattern: string): string | undefined =>
  pattern.length > SCHEMA_BOUNDS.patternLength
    ? `must not have a pattern of more than ${SCHEMA_BOUNDS.patternLength} characters`
    : undefined;

function referenceProblem(root: Readonly<Record<string, unknown>>, value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^#(?:\/|$)/.test(value))
    return 'must be a reference into this schema, such as #/$defs/name';
  return resolveReference(root, value) === undefined ? 'must point to a schema in this document' : undefined;
}

/**
 * Rejects schemas that refer back to themselves: the payload would determine how often they are applied, and Ajv
 * overflows its stack. Each schema is visited once, by the first path that reaches it.
 */
function circleProblem(root: Readonly<Record<string, unknown>>): Problem | undefined {
  const under = new Set<unknown>();
  const done = new Set<unknown>();
  const visit = (schema: unknown, place: JsonPath): Problem | undefined => {
    if (!isObject(schema) || done.has(schema)) return undefined;
    under.add(schema);
    const target = typeof schema['$ref'] === 'string' ? resolveReference(root, schema['$ref']) : undefined;
    if (under.has(target?.schema))
      return { place: [...place, '$ref'], reason: 'must not refer back to itself, directly or through others' };
    const inside = subschemasOf(schema).map((inner) => ({ ...inner, place: [...place, ...inner.place] }));
    for (const next of target === undefined ? inside : [target, ...inside]) {
      const problem = visit(next.schema, next.place);
      if (problem !== undefined) return problem;
    }
    under.delete(schema);
    done.add(schema);
    return undefined;
  };
  return visit(root, []);
}
