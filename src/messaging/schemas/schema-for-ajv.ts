import { DEFINITIONS, isObject, mapSubschemas, subschemasOf } from './json-schema.ts';
import type { SchemaDraft } from './schema-drafts.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Names of the document, which Ajv would resolve references by and remember; and an older spelling that it stops at. */
const NAMES: ReadonlySet<string> = new Set(['$id', 'id']);

/**
 * The schema that Ajv is to compile so that it does what the author's schema means: without its names (`$id`) at any place
 * where a schema stands; in draft 07 without all that stands beside a `$ref`, which that draft ignores (core §8.3), but for the
 * definitions that it may lead to; and with conditions set apart where members may be unevaluated.
 */
export function schemaForAjv(schema: Schema, draft: SchemaDraft): Schema {
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
  // `as`: an object stays one.
  return change(schema) as Schema;
}

const usesUnevaluated = (schema: unknown): boolean =>
  isObject(schema) &&
  ('unevaluatedProperties' in schema ||
    'unevaluatedItems' in schema ||
    subschemasOf(schema).some((inner) => usesUnevaluated(inner.schema)));

/**
 * Ajv 8.20 forgets what was evaluated beside an `if`, or a schema that depends on a member, when the condition does not hold:
 * every member is then refused as unevaluated. As parts of an `allOf` they mean the same, and Ajv keeps the account right.
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
