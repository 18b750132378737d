import { _, Ajv, type ErrorObject } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { formats, FORMATS_MODULE } from './formats.ts';
import {
  isObject,
  type JsonPath,
  pointerTo,
  subschemasOf,
  type SchemaDraft,
  draftOf,
  DEFINITIONS,
  mapSubschemas,
  resolveReference,
} from './json-schema.ts';
import { schemaProblem } from './schema-bounds.ts';
import { compileSchemaPattern, PATTERN_MODULE } from './validator.ts';

/**
 * `code` creates the validator (validator.ts); `cost` is an upper bound of the work per character of payload
 * (`schemaCost`).
 */
export type CompiledSchema = { code: string; cost: number };

/** Thrown with the reason why a schema is rejected. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

// After its state machine is given up, a pattern takes about as many steps per character as its program has
// instructions.
const PATTERN_COST = 2;
// 1.10 is a multiple of 0.01, although 1.1 / 0.01 is 110.00000000000001.
const MULTIPLE_OF_DIGITS = 6;

const patterns = Object.assign(compileSchemaPattern, { code: `require(${JSON.stringify(PATTERN_MODULE)}).default` });

const AJV_OF: Readonly<Record<SchemaDraft, typeof Ajv | typeof Ajv2019 | typeof Ajv2020>> = {
  '07': Ajv,
  '2019-09': Ajv2019,
  '2020-12': Ajv2020,
};

/**
 * One Ajv per draft, which checks whether a schema is valid JSON Schema. It stores nothing of the schemas it checks.
 */
const looking = new Map<SchemaDraft, Ajv>();
function lookingAt(draft: SchemaDraft): Ajv {
  const known = looking.get(draft) ?? new AJV_OF[draft]({ strict: false, logger: false, validateFormats: false });
  looking.set(draft, known);
  return known;
}

/**
 * Compiles a schema to code. Throws SchemaRefused. Run it in a thread that can be terminated: the bounds make it quick,
 * but do not guarantee it. Uses a new Ajv for each schema, so that no schema can refer to definitions of another one,
 * and considers own properties only, so that `toString` of a payload is a member and not the inherited method.
 */
export function compileSchema(schema: unknown): CompiledSchema {
  if (!isObject(schema)) throw new SchemaRefused('must be an object');
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw new SchemaRefused(problem);
  const { $schema, ...rest } = schema;
  const draft = draftOf($schema) ?? '2020-12';
  const look = lookingAt(draft);
  if (look.validateSchema(rest) !== true) {
    const [error] = look.errors ?? [];
    throw new SchemaRefused(`at #${error?.instancePath ?? ''}: ${faultOf(error)}`);
  }
  const meant = schemaForAjv(rest, draft);
  const ajv = new AJV_OF[draft]({
    strict: false,
    logger: false,
    allErrors: false,
    ownProperties: true,
    multipleOfPrecision: MULTIPLE_OF_DIGITS,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    code: { source: true, regExp: patterns, formats: _`require(${FORMATS_MODULE}).formats` },
    formats,
  });
  // Adds formatMinimum and similar keywords; the formats themselves are set above.
  addFormats.default(ajv, { formats: [], keywords: true });
  try {
    const validate = ajv.compile(meant);
    const code = standaloneCode.default(ajv, validate);
    return { code, cost: schemaCost(meant, (pattern) => PATTERN_COST * compileSchemaPattern(pattern).size) };
  } catch (error) {
    const place = badPatternIn(rest, []);
    throw new SchemaRefused(`${place === undefined ? '' : `at ${pointerTo(place)}: `}${refusalOf(error)}`, {
      cause: error,
    });
  }
}

function faultOf(error: ErrorObject | undefined): string {
  // `as`: Ajv documents these parameters for this keyword.
  if (error?.keyword === 'enum') return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
  return error?.message ?? 'must be valid JSON Schema';
}

/** Returns the first pattern that the engine does not support. Ajv's error does not say which one it was. */
function badPatternIn(schema: unknown, place: JsonPath): JsonPath | undefined {
  if (!isObject(schema)) return undefined;
  const { pattern, patternProperties } = schema;
  if (typeof pattern === 'string' && !isPattern(pattern)) return [...place, 'pattern'];
  const name = Object.keys(isObject(patternProperties) ? patternProperties : {}).find((each) => !isPattern(each));
  if (name !== undefined) return [...place, 'patternProperties', name];
  for (const { schema: inner, place: inside } of subschemasOf(schema)) {
    const found = badPatternIn(inner, [...place, ...inside]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPattern(pattern: string): boolean {
  try {
    compileSchemaPattern(pattern);
    return true;
  } catch {
    return false;
  }
}

function refusalOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  if (error instanceof RangeError) return 'is too large to be compiled';
  return text === '' ? 'cannot be compiled' : `cannot be compiled: ${text.slice(0, 200)}`;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Names of the document, by which Ajv would resolve references and which it would remember. `id` is an older spelling
 * that it rejects.
 */
const NAMES: ReadonlySet<string> = new Set(['$id', 'id']);

/**
 * Returns the schema for Ajv to compile, so that it behaves as the author's schema means: without names (`$id`) at any
 * place where there is a schema; in draft 07 without the siblings of `$ref`, which that draft ignores (core §8.3),
 * except for definitions that it may refer to; and with conditions separated if members may be unevaluated.
 */
function schemaForAjv(schema: Schema, draft: SchemaDraft): Schema {
  const isSettingApart = usesUnevaluated(schema);
  const change = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner;
    const isReference = draft === '07' && typeof inner['$ref'] === 'string';
    const kept = Object.entries(inner).filter(
      ([keyword]) => !NAMES.has(keyword) && (!isReference || keyword === '$ref' || DEFINITIONS.has(keyword)),
    );
    const changed = Object.fromEntries(
      kept.map(([keyword, value]) => [keyword, mapSubschemas(keyword, value, change)]),
    );
    return isSettingApart ? setConditionsApart(changed) : changed;
  };
  // `as`: an object remains one.
  return change(schema) as Schema;
}

const usesUnevaluated = (schema: unknown): boolean =>
  isObject(schema) &&
  ('unevaluatedProperties' in schema ||
    'unevaluatedItems' in schema ||
    subschemasOf(schema).some((inner) => usesUnevaluated(inner.schema)));

/**
 * Moves conditions into `allOf`, which means the same. When the condition of an `if`, or of a schema that depends on a
 * member, does not hold, Ajv 8.20 forgets what was evaluated next to it and rejects every member as unevaluated; within
 * `allOf` it does not.
 */
function setConditionsApart(schema: Schema): Schema {
  const condition = entriesOf(schema, (keyword) => CONDITION.has(keyword));
  const rest = entriesOf(schema, (keyword) => !CONDITION.has(keyword) && keyword !== 'dependentSchemas');
  const { allOf, dependentSchemas } = schema;
  const dependents = Object.entries(isObject(dependentSchemas) ? dependentSchemas : {});
  const apart: unknown[] = dependents.map(([name, inner]) => ({ dependentSchemas: { [name]: inner } }));
  if (condition.length > 0) apart.push(Object.fromEntries(condition));
  if (apart.length === 0) return schema;
  const beside: unknown[] = Array.isArray(allOf) ? allOf : [];
  return { ...Object.fromEntries(rest), allOf: [...beside, ...apart] };
}

const CONDITION: ReadonlySet<string> = new Set(['if', 'then', 'else']);

const entriesOf = (schema: Schema, isWanted: (keyword: string) => boolean): [string, unknown][] =>
  Object.entries(schema).filter(([keyword]) => isWanted(keyword));

/**
 * Formats whose check is not a single pass over the text. For all others, 64 KiB of hostile text took at most 6 ms;
 * `url` took 3.7 s, and `regex` compiles its text. Formats that Ajv does not know are not checked.
 */
const UNBOUNDED_FORMATS: ReadonlySet<string> = new Set(['regex', 'url']);

// Cost of checking a value with a regular expression of ajv-formats, in units of a comparison.
const FORMAT_COST = 8;
// Keywords for which Ajv tracks evaluated members, key by key.
const UNEVALUATED_COST = 16;

/**
 * Upper bound of the work that one character of payload can cause. Each value of a payload is checked against each
 * inner schema at most once per path that leads to it, so the bound is the size of the schema with all references
 * expanded. Infinity if the work grows faster than the payload. The schema must not have cycles (`schemaProblem`).
 * `patternCost` is the work of a pattern per character.
 */
export function schemaCost(root: Readonly<Record<string, unknown>>, patternCost: (pattern: string) => number): number {
  const known = new Map<unknown, number>();
  const referredCost = (reference: unknown): number => {
    const target = resolveReference(root, String(reference));
    if (target === undefined) return 1;
    const cost = known.get(target.schema) ?? costOf(target.schema);
    known.set(target.schema, cost);
    return cost;
  };
  const costOf = (schema: unknown): number => {
    if (!isObject(schema)) return 1;
    let cost = 1;
    for (const [keyword, value] of Object.entries(schema)) cost += keywordCost(keyword, value);
    for (const inner of subschemasOf(schema)) {
      if (DEFINITIONS.has(inner.keyword)) continue;
      cost += costOf(inner.schema);
      if (inner.keyword === 'patternProperties') cost += patternCost(String(inner.place[1]));
    }
    return cost;
  };
  const keywordCost = (keyword: string, value: unknown): number => {
    switch (keyword) {
      case '$defs':
      case 'definitions':
      case 'properties':
        return 0;
      case '$ref':
        return referredCost(value);
      case 'pattern':
        return patternCost(String(value));
      case 'format':
        return UNBOUNDED_FORMATS.has(String(value)) ? Number.POSITIVE_INFINITY : FORMAT_COST;
      case 'uniqueItems':
        // Every item is compared with every other.
        return value === true ? Number.POSITIVE_INFINITY : 1;
      case 'unevaluatedItems':
      case 'unevaluatedProperties':
        return UNEVALUATED_COST;
      case 'const':
      case 'enum':
      case 'required':
      case 'dependentRequired':
        return sizeOf(value);
      default:
        return 1;
    }
  };
  return costOf(root);
}

/** Number of values in a piece of data: the maximum cost of comparing with it. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}
