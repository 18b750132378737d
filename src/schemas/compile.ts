import { _, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { isObject, type Place, pointerTo, subschemasOf } from '../shared/json-schema.ts';
import { schemaProblem } from '../shared/schema-bounds.ts';
import { schemaCost } from '../shared/schema-cost.ts';
import { compilePattern, PATTERN_MODULE } from './validator.ts';

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

const patterns = Object.assign(compilePattern, { code: `require(${JSON.stringify(PATTERN_MODULE)}).default` });

/** One for the look at whether a schema is JSON Schema: it learns nothing of the schemas it looks at. */
const draft = new Ajv2020({ strict: false, logger: false, validateFormats: false });

/**
 * Compiles a schema to code. Throws SchemaRefused. Belongs into a thread that can be ended: bounds make it quick, not certain.
 * A new Ajv for each schema, so that none can meet another one's definitions; own properties only, so that `toString` of
 * a payload is a member and not what every object inherits.
 */
export function compileSchema(schema: unknown): CompiledSchema {
  if (!isObject(schema)) throw new SchemaRefused('must be an object');
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw new SchemaRefused(problem);
  // Said above to be this draft, or absent.
  const { $schema: _draft, ...rest } = schema;
  if (draft.validateSchema(rest) !== true) {
    const [error] = draft.errors ?? [];
    throw new SchemaRefused(`at #${error?.instancePath ?? ''}: ${faultOf(error)}`);
  }
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    allErrors: false,
    ownProperties: true,
    multipleOfPrecision: MULTIPLE_OF_DIGITS,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    code: { source: true, regExp: patterns, formats: _`require("ajv-formats/dist/formats").fullFormats` },
  });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(rest);
    const code = standaloneCode.default(ajv, validate);
    return { code, cost: schemaCost(rest, (pattern) => PATTERN_COST * compilePattern(pattern).size) };
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
function badPatternIn(schema: unknown, place: Place): Place | undefined {
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
    compilePattern(pattern);
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
