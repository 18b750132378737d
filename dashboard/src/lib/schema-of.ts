type Schema = {
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
};

/** Deeper parts of a payload get no schema, because the service limits the depth of schemas. */
const MOST_DEPTH = 6;
/** An object with more members is probably a map, whose keys are not fields. */
const MOST_MEMBERS = 50;

/**
 * Infers a JSON Schema, as a starting point, that all these values match: their types, as required the members that
 * every value has, and one schema for the items of their arrays. It does not restrict the values themselves, because a
 * few samples do not show which others are valid.
 */
export function schemaOf(values: readonly unknown[], depth = 0): Schema {
  const types = [...new Set(values.map(typeOf))].toSorted();
  // Integers count as numbers.
  const named = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  if (named.length === 0) return {};
  return {
    type: named.length === 1 ? (named[0] ?? '') : named,
    ...(depth < MOST_DEPTH && { ...objectPart(values, depth), ...arrayPart(values, depth) }),
  };
}

function objectPart(values: readonly unknown[], depth: number): Pick<Schema, 'required' | 'properties'> {
  const objects = values.filter(isObject);
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))];
  if (names.length === 0 || names.length > MOST_MEMBERS) return {};
  const required = names.filter((name) => objects.every((each) => Object.hasOwn(each, name)));
  const properties = names.map((name) => {
    const own = objects.flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : []));
    return [name, schemaOf(own, depth + 1)] as const;
  });
  return { ...(required.length > 0 && { required }), properties: Object.fromEntries(properties) };
}

function arrayPart(values: readonly unknown[], depth: number): Pick<Schema, 'items'> {
  const items = values.flatMap((each): unknown[] => (Array.isArray(each) ? each : []));
  return items.length === 0 ? {} : { items: schemaOf(items, depth + 1) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
