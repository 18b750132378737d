import { _, Ajv, type ErrorObject } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { formats, FORMATS_MODULE } from './formats.ts';
import { isObject, type JsonPath, pointerTo, subschemasOf } from './json-schema.ts';
import { schemaProblem } from './schema-bounds.ts';
import { schemaCost } from './schema-cost.ts';
import { type SchemaDraft, draftOf } from './schema-drafts.ts';
import { schemaForAjv } from './schema-for-ajv.ts';
import { compileSchemaPattern, PATTERN_MODULE } from './validator.ts';

/** `code` makes the validator (validator.ts); `cost` bounds the work for one character of payload (schema-cost.ts). */
export type CompiledSchema = { code: string; cost: number };

/** Why a schema is refused. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

// A pattern's program takes about as many steps for a character as it has instructions, when its state machine is given up.
const PATTERN_COST = 2;
// 1.10 is a multiple of 0.01, though 1.1 / 0.01 is 110.00000000000001.
const MULTIPLE_OF_DIGITS = 6;

const patterns = Object.assign(compileSchemaPattern, { code: `require(${JSON.stringify(PATTERN_MODULE)}).default` });

const AJV_OF: Readonly<Record<SchemaDraft, typeof Ajv | typeof Ajv2019 | typeof Ajv2020>> = {
  '07': Ajv,
  '2019-09': Ajv2019,
  '2020-12': Ajv2020,
};

/** One for each draft looks whether a schema is JSON Schema: it learns nothing of the schemas it looks at. */
const looking = new Map<SchemaDraft, Ajv>();
function lookingAt(draft: SchemaDraft): Ajv {
  const known = looking.get(draft) ?? new AJV_OF[draft]({ strict: false, logger: false, validateFormats: false });
  looking.set(draft, known);
  return known;
}

/**
 * Compiles a schema to code. Throws SchemaRefused. Belongs into a thread that can be ended: bounds make it quick, not certain.
 * A new Ajv for each schema, so that none can meet another one's definitions; own properties only, so that `toString` of
 * a payload is a member and not what every object inherits.
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
  // The keywords formatMinimum and the like; the formats are there.
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
  return error?.message ?? 'is not JSON Schema';
}

/** The first pattern that the engine does not take: Ajv's error does not say which one it was. */
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
