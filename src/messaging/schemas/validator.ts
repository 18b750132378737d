import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ErrorObject } from 'ajv';
import { RE2JS } from 're2js';
import { formats, FORMATS_MODULE } from './formats.ts';
import type { JsonPath } from './json-schema.ts';

/** Verdict of a compiled schema on a parsed payload: undefined when it fits. */
export type Validator = (payload: unknown) => PayloadMisfit | undefined;

type Compiled = ((payload: unknown) => boolean) & { errors?: ErrorObject[] | null };

/** Modules that Ajv's code may ask for; nothing else is in reach of it. */
const MODULES = new Set(['ajv/dist/runtime/equal', 'ajv/dist/runtime/ucs2length']);
/** The name under which the code finds `compilePattern`. */
export const PATTERN_MODULE = 'posthorn/pattern';

const require = createRequire(import.meta.url);

/**
 * A JavaScript pattern on an engine whose time is linear in the text: look-around and back-references are refused, by an error.
 * `(a+)+$` on 26 characters holds V8's own engine up for 2.7 s.
 */
export function compileSchemaPattern(pattern: string): {
  test(text: string): boolean;
  toString(): string;
  size: number;
} {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/`, size: compiled.programSize() };
}

/** Makes a function of what `compileSchema` has written. The code is Ajv's; of the schema's author it holds quoted texts only. */
export function loadValidator(code: string): Validator {
  const requireAllowed = (name: string): unknown => {
    if (name === PATTERN_MODULE) return { default: compileSchemaPattern };
    if (name === FORMATS_MODULE) return { formats };
    if (!MODULES.has(name)) throw new Error(`A compiled schema asks for ${name}`);
    return require(name);
  };
  const module: { exports: unknown } = { exports: undefined };
  // `as`: that is what a function compiled with these parameters takes.
  const define = compileFunction(code, ['module', 'exports', 'require']) as (...parts: unknown[]) => void;
  define(module, {}, requireAllowed);
  // `as`: Ajv's standalone code exports its validation function.
  const validate = module.exports as Compiled;
  return (payload) => (validate(payload) ? undefined : describeMisfit(validate.errors ?? [], payload));
}

/** Where a payload does not fit its schema, from the payload's root, and why, for a person. */
export type PayloadMisfit = { place: JsonPath; reason: string };

/** Longest value of a schema that is repeated to the caller, in characters. */
const MAX_QUOTED = 200;

/** The telling error of Ajv's: without allErrors the last one is the outermost, but `if` only says which of its branches has failed. */
function describeMisfit(errors: readonly ErrorObject[], payload: unknown): PayloadMisfit {
  const error = errors.findLast(({ keyword }) => keyword !== 'if') ?? errors.at(-1);
  if (error === undefined) return { place: [], reason: 'does not fit the schema' };
  // Ajv's `params` differ by keyword; each is read as what the keyword documents.
  const params = error.params as Record<string, unknown>;
  const place = placeOf(error.instancePath, payload);
  const within = MEMBERS[error.keyword];
  const member = within === undefined ? undefined : params[within];
  return { place: typeof member === 'string' ? [...place, member] : place, reason: reasonOf(error, params) };
}

/** The parameter that names the member which the error is about. */
const MEMBERS: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  dependencies: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  propertyNames: 'propertyName',
};

/** Ajv's JSON pointer (RFC 6901) as keys and positions: what it leads to says which of both a number is. */
function placeOf(pointer: string, payload: unknown): JsonPath {
  const place: (string | number)[] = [];
  let value = payload;
  for (const escaped of pointer.split('/').slice(1)) {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    place.push(Array.isArray(value) ? Number(key) : key);
    // `as`: Ajv has walked this path, so every value on it but the last is an object or an array.
    value = (value as Record<string, unknown>)[key];
  }
  return place;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
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

/** Parameters of an error; each is read as what its keyword documents. */
type Params = Readonly<Record<string, unknown>>;

const requiredBeside = ({ property }: Params): string => `is required beside ${quoted(property)}`;
const notAllowed = (): string => 'is not allowed by the schema';
const atMostItems = ({ limit }: Params): string => `must have at most ${String(limit)} items`;

/** Reasons by the keyword that a payload does not fit. `at` is the place of that keyword in the schema. */
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
  propertyNames: () => 'has a name that the schema does not allow',
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
  uniqueItems: ({ i, j }) => `must not hold the same item twice (${String(j)} and ${String(i)})`,
  contains: (_, at) => `must contain an item of the kind that ${at} describes`,
  anyOf: (_, at) => `must fit at least one of the schemas at ${at}`,
  oneOf: (_, at) => `must fit exactly one of the schemas at ${at}`,
  not: (_, at) => `must not fit the schema at ${at}`,
};

function reasonOf({ keyword, message, schemaPath }: ErrorObject, params: Params): string {
  const reason = Object.hasOwn(REASONS, keyword) ? REASONS[keyword] : undefined;
  return reason?.(params, schemaPath) ?? `${message ?? 'does not fit'} (${schemaPath})`;
}
