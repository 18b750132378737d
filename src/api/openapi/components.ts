import { z } from 'zod';
import { EXAMPLE_TIME, exampleIdOf } from './examples.ts';

/** A JSON Schema 2020-12 as used in an OpenAPI 3.1 document. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  pattern?: string;
  format?: string;
  examples?: unknown[];
  [keyword: string]: unknown;
};

/** Our metadata in what zod writes; it is read and removed here. */
type Marked = JsonSchema & {
  typeName?: string;
  takesNull?: boolean;
  readOnly?: boolean;
  oneOfFields?: string[][];
  wholeNumber?: { minimum: number; maximum: number };
  someOf?: string[];
};

export type Components = {
  /** The schema of what is sent over the wire; named parts are references to `schemas`. */
  schemaOf(schema: z.ZodType, direction: 'sent' | 'got'): JsonSchema;
  /** The named schemas so far, by name. */
  schemas: Map<string, JsonSchema>;
};

/**
 * Schemas that the parts of one document share. A schema with `.meta({ typeName: 'Channel' })` becomes a component of that name, and a
 * type of the client library. `isQuery`: schemas of query strings, in which every value is text; `true` and `false` are shown as
 * booleans, because programs write them so.
 */
export function createComponents({ isQuery = false } = {}): Components {
  const schemas = new Map<string, JsonSchema>();

  const marked = (schema: z.ZodType): Marked =>
    // `as`: the draft and our metadata have this type.
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Marked;

  const read = (given: Marked, direction: 'sent' | 'got'): JsonSchema => {
    const { $schema: _, typeName, takesNull, oneOfFields, wholeNumber, someOf, ...schema } = given;
    const name = typeName ?? pageNameOf(schema);
    if (wholeNumber !== undefined) {
      const { type: _digits, pattern: _pattern, ...rest } = schema;
      return { type: 'integer', ...wholeNumber, ...rest };
    }
    if (someOf !== undefined) {
      const { type: _text, ...rest } = schema;
      const items = { type: 'string', enum: someOf };
      return { type: 'array', items, minItems: 1, maxItems: someOf.length, uniqueItems: true, ...rest };
    }
    if (isQuery && JSON.stringify(schema['enum']) === '["true","false"]') {
      const { enum: _words, ...rest } = schema;
      return { ...rest, type: 'boolean' };
    }
    const result: JsonSchema = { ...schema };
    if (schema.properties !== undefined) {
      const shown = Object.entries(schema.properties as Record<string, Marked>)
        // A resource may be sent back with fields that only the service sets: docs/reference/api-conventions.md has the rules.
        .filter(([, field]) => direction === 'got' || field.readOnly !== true)
        .map(([field, value]): [string, JsonSchema] => {
          const text = read(value, direction);
          const isOptional = schema.required?.includes(field) !== true;
          const known = isQuery ? text : withDefaultInWords(text);
          return [field, takesNull === true && isOptional ? orNull(known) : known];
        });
      result.properties = Object.fromEntries(shown);
    }
    for (const key of ['items', 'additionalProperties'] as const) {
      const part = schema[key];
      if (typeof part === 'object') result[key] = read(part, direction);
    }
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const parts = schema[key];
      if (parts !== undefined) result[key] = parts.map((part) => read(part, direction));
    }
    if (result.type === 'object' && result.properties === undefined) result.additionalProperties ??= true;
    // What zod writes for any value, any name and any safe integer.
    if (JSON.stringify(result.additionalProperties) === '{}') result.additionalProperties = true;
    if (JSON.stringify(result['propertyNames']) === '{"type":"string"}') delete result['propertyNames'];
    if (direction === 'got' && result['maximum'] === Number.MAX_SAFE_INTEGER) delete result['maximum'];
    // Programs use the format, and Pydantic does not support a pattern for a time.
    if (direction === 'got' && result.format === 'date-time') delete result.pattern;
    // Null counts as absent.
    if (oneOfFields !== undefined) {
      const oneOf = oneOfFields.map((required) => ({
        required,
        properties: Object.fromEntries(
          required.map((field) => [field, { not: { type: 'null' }, description: 'Given.' }]),
        ),
      }));
      // Most client generators turn a `oneOf` next to fields into a type without the fields. They ignore conditions.
      Object.assign(result, { if: { type: 'null' }, else: { oneOf } });
    }
    const complete = withExample(plainUnion(result));
    if (name === undefined) return complete;
    const { description, default: standard, ...component } = complete;
    const before = schemas.get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(component))
      throw new Error(`Two schemas of the document would be called ${name}`);
    schemas.set(name, component);
    return {
      $ref: `#/components/schemas/${name}`,
      ...(description !== undefined && { description }),
      ...(standard !== undefined && { default: standard }),
    };
  };

  return { schemas, schemaOf: (schema, direction) => read(marked(schema), direction) };
}

/** A page of a list is named after its items. */
function pageNameOf({ properties = {} }: Marked): string | undefined {
  if (Object.keys(properties).toSorted().join() !== 'data,pagination') return undefined;
  const { items } = properties['data'] as { items?: Marked };
  return items?.typeName === undefined ? undefined : `${items.typeName}Page`;
}

const ID_PATTERN = /^\^\(\?:([a-z]{3})_/;

function withExample(schema: JsonSchema): JsonSchema {
  const { pattern = '', format } = schema;
  const prefix = ID_PATTERN.exec(pattern)?.[1];
  if (prefix !== undefined) return { ...schema, examples: [exampleIdOf(prefix)] };
  if (format === 'date-time') return { ...schema, examples: [EXAMPLE_TIME] };
  return schema;
}

function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return describedBy(description);
  return { ...plainUnion({ anyOf: [schema, { type: 'null' }] }), ...describedBy(description) };
}

/** Flattens nested unions. A union of a plain type and null becomes a list of the two types. */
function plainUnion(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return schema;
  const parts = anyOf.flatMap((part) => (Object.keys(part).join() === 'anyOf' ? (part.anyOf ?? []) : [part]));
  const [one = {}, other = {}, ...more] = parts;
  const { type } = one;
  const isPlain = typeof type === 'string' && one['enum'] === undefined && one['const'] === undefined;
  if (isPlain && other.type === 'null' && more.length === 0) return { ...one, type: [type, 'null'], ...rest };
  return { ...rest, anyOf: parts };
}

const describedBy = (description: string | undefined): { description?: string } =>
  description === undefined ? {} : { description };

/**
 * Writes the default of a body field into its description. As a keyword, openapi-typescript would make the field required, and other
 * programs would send it each time.
 */
function withDefaultInWords({ default: standard, ...schema }: JsonSchema): JsonSchema {
  const { description = '' } = schema;
  if (standard === undefined || JSON.stringify(standard) === '{}' || /default/i.test(description)) return schema;
  return { ...schema, description: `${description} Default: \`${JSON.stringify(standard)}\`.`.trimStart() };
}
