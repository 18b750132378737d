import { DEFINITIONS, isObject, resolveReference, subschemasOf } from './json-schema.ts';

/**
 * Formats whose test needs one pass over the text: 64 KiB of hostile text took at most 6 ms. `url` took 3.7 s and `regex` compiles its
 * text, so both count as unbounded. Formats that Ajv does not know are not tested.
 */
const UNBOUNDED_FORMATS: ReadonlySet<string> = new Set(['regex', 'url']);

// One look at a value with a regular expression of ajv-formats, in units of a comparison.
const FORMAT_COST = 8;
// Keywords for which Ajv keeps account of evaluated members, key by key.
const UNEVALUATED_COST = 16;

/**
 * Upper bound of the work that one character of payload can cause. Each value of a payload meets each schema inside at most once for
 * every way that leads to it, so the bound is the size of the schema with all references written out. Infinity where the work grows
 * faster than the payload. The schema must be free of circles (`schemaProblem`). `patternCost` is the work of one pattern for one
 * character.
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
        // Every item is compared with every other one.
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

/** Number of values in a piece of data: the most that a comparison with it costs. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}
