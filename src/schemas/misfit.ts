import type { ErrorObject } from 'ajv';
import type { JsonPath } from './json-schema.ts';

/** Where a payload does not fit its schema, from the payload's root, and why, for a person. */
export type PayloadMisfit = { place: JsonPath; reason: string };

/** Longest value of a schema that is repeated to the caller, in characters. */
const MAX_QUOTED = 200;

/** The telling error of Ajv's: without allErrors the last one is the outermost, but `if` only says which of its branches has failed. */
export function describeMisfit(errors: readonly ErrorObject[], payload: unknown): PayloadMisfit {
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

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

function listed(values: unknown): string {
  const text = (Array.isArray(values) ? values : [values]).map((value) => JSON.stringify(value)).join(', ');
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

function reasonOf({ keyword, message, schemaPath }: ErrorObject, params: Record<string, unknown>): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type': {
      const types = [params['type']].flat().map((type) => TYPES[String(type)] ?? String(type));
      return `must be ${types.join(' or ')}`;
    }
    case 'required':
      return 'is required';
    case 'dependentRequired':
    case 'dependencies':
      return `is required beside ${quoted(params['property'])}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema':
      return 'is not allowed by the schema';
    case 'propertyNames':
      return 'has a name that the schema does not allow';
    case 'enum':
      return `must be one of ${listed(params['allowedValues'])}`;
    case 'const':
      return `must be ${quoted(params['allowedValue'])}`;
    case 'format':
      return `must be a valid ${String(params['format'])}`;
    case 'pattern':
      return `must match the pattern ${quoted(params['pattern'])}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'minLength':
      return `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit} items`;
    case 'maxItems':
    case 'additionalItems':
    case 'items':
      return `must have at most ${limit} items`;
    case 'minProperties':
      return `must have at least ${limit} members`;
    case 'maxProperties':
      return `must have at most ${limit} members`;
    case 'uniqueItems':
      return `must not hold the same item twice (${String(params['j'])} and ${String(params['i'])})`;
    case 'contains':
      return `must contain an item of the kind that ${schemaPath} describes`;
    case 'anyOf':
      return `must fit at least one of the schemas at ${schemaPath}`;
    case 'oneOf':
      return `must fit exactly one of the schemas at ${schemaPath}`;
    case 'not':
      return `must not fit the schema at ${schemaPath}`;
    default:
      return `${message ?? 'does not fit'} (${schemaPath})`;
  }
}
