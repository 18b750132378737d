import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ErrorObject } from 'ajv';
import { RE2JS } from 're2js';
import { formats, FORMATS_MODULE } from './formats.ts';
import type { JsonPath } from './json-schema.ts';

/** Checks a parsed payload against a compiled schema. Returns undefined if it is valid. */
export type Validator = (payload: unknown) => PayloadMisfit | undefined;

type Compiled = ((payload: unknown) => boolean) & { errors?: ErrorObject[] | null };

/** Modules that Ajv's code may require; it has access to nothing else. */
const MODULES = new Set(['ajv/dist/runtime/equal', 'ajv/dist/runtime/ucs2length']);
/** The module name under which the code finds `compilePattern`. */
export const PATTERN_MODULE = 'posthorn/pattern';

const require = createRequire(import.meta.url);

/**
 * Compiles a JavaScript pattern for an engine that matches in linear time. Throws if it uses look-around or
 * back-references. With V8's engine, `(a+)+$` takes 2.7 s on 26 characters.
 */
export function compileSchemaPattern(pattern: string): {
  test(text: string): boolean;
  toString(): string;
  size: number;
} {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/`, size: compiled.programSize() };
}

/**
 * Loads the code that `compileSchema` has generated. The code is Ajv's; from the author of the schema it contains only
 * quoted strings.
 */
export function loadValidator(code: string): Validator {
  const requireAllowed = (name: string): unknown => {
    if (name === PATTERN_MODULE) return { default: compileSchemaPattern };
    if (name === FORMATS_MODULE) return { formats };
    if (!MODULES.has(name)) throw new Error(`A compiled schema asks for ${name}`);
    return require(name);
  };
  const module: { exports: unknown } = { exports: undefined };
  // `as`: a function compiled with these parameters accepts them.
  const define = compileFunction(code, ['module', 'exports', 'require']) as (...parts: unknown[]) => void;
  define(module, {}, requireAllowed);
  // `as`: Ajv's standalone code exports its validation function.
  const validate = module.exports as Compiled;
  return (payload) => (validate(payload) ? undefined : describeMisfit(validate.errors ?? [], payload));
}

/** Where a payload violates its schema, from the root of the payload, and why, as text for people. */
export type PayloadMisfit = { place: JsonPath; reason: string };

/** Maximum length of a value from the schema that is repeated to the caller, in characters. */
const MAX_QUOTED = 200;

/**
 * Chooses the most useful of Ajv's errors. Without allErrors the last one is the outermost, but `if` only says which
 * branch has failed.
 */
function describeMisfit(errors: readonly ErrorObject[], payload: unknown): PayloadMisfit {
  const error = errors.findLast(({ keyword }) => keyword !== 'if') ?? errors.at(-1);
  if (error === undefined) return { place: [], reason: 'must match the schema' };
  // Ajv's `params` differ by keyword; read each as documented for the keyword.
  const params = error.params as Record<string, unknown>;
  const place = placeOf(error.instancePath, payload);
  const within = MEMBERS[error.keyword];
  const member = within === undefined ? undefined : params[within];
  return { place: typeof member === 'string' ? [...place, member] : place, reason: reasonOf(error, params) };
}

/** The parameter with the name of the member that the error is about. */
const MEMBERS: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  dependencies: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  propertyNames: 'propertyName',
};

/** Converts Ajv's JSON pointer (RFC 6901) to keys and indexes. The payload tells which of the two a number is. */
function placeOf(pointer: string, payload: unknown): JsonPath {
  const place: (string | number)[] = [];
  let value = payload;
  for (const escaped of pointer.split('/').slice(1)) {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    place.push(Array.isArray(value) ? Number(key) : key);
    // `as`: Ajv has followed this path, so every value on it except the last is an object or array.
    value = (value as Record<string, unknown>)[key];
  }
  return place;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

const shortened = (text: string): string => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
const quoted = (value: unknown): string => shortened(JSON.stringify(value) ?? '');
const listed = (values: unknown): string =>
  shortened(
    [values]
      .flat()
      .map((value) => JSON.stringify(value))
      .join(', '),
  );

/** Parameters of an error, read as documented for its keyword. */
type Params = Readonly<Record<string, unknown>>;

const requiredBeside = ({ property }: Params): string => `is required together with ${quoted(property)}`;
const notAllowed = (): string => 'is not allowed by the schema';
const atMostItems = ({ limit }: Params): string => `must have at most ${String(limit)} items`;

/** Reasons by the violated keyword. `at` is the location of that keyword in the schema. */
const REASONS: Readonly<Record<string, (params: Params, at: string) => string>> = {
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((each) => TYPES[String(each)] ?? String(each))
      .join(' or ')}`,
  required: () => 'is required',
  dependentRequired: requiredBeside,
  dependencies: requiredBeside,
  additionalProperties: notAllowed,
  unevaluatedProperties: notAllowed,
  'false schema': notAllowed,
  propertyNames: () => 'must have a name that the schema allows',
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${quoted(allowedValue)}`,
  format: ({ format }) => `must be a valid ${String(format)}`,
  pattern: ({ pattern }) => `must match the pattern ${quoted(pattern)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  minLength: ({ limit }) => `must have at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  minItems: ({ limit }) => `must have at least ${String(limit)} items`,
  maxItems: atMostItems,
  additionalItems: atMostItems,
  items: atMostItems,
  minProperties: ({ limit }) => `must have at least ${String(limit)} members`,
  maxProperties: ({ limit }) => `must have at most ${String(limit)} members`,
  uniqueItems: ({ i, j }) => `must not contain the same item twice (${String(j)} and ${String(i)})`,
  contains: (_, at) => `must contain an item that matches the schema at ${at}`,
  anyOf: (_, at) => `must match at least one of the schemas at ${at}`,
  oneOf: (_, at) => `must match exactly one of the schemas at ${at}`,
  not: (_, at) => `must not match the schema at ${at}`,
};

function reasonOf({ keyword, message, schemaPath }: ErrorObject, params: Params): string {
  const reason = Object.hasOwn(REASONS, keyword) ? REASONS[keyword] : undefined;
  return reason?.(params, schemaPath) ?? `${message ?? 'must match the schema'} (${schemaPath})`;
}
