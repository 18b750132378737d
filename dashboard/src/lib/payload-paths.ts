/** How deep payloads are searched, and the most paths that are returned. */
const [MOST_DEPTH, MOST_PATHS] = [4, 12];
/** Members that a path can name (docs/reference/filters.md). */
const NAME = /^[A-Za-z_][\w-]*$/;

/**
 * Returns the paths of strings, numbers and booleans in payloads, as the search accepts them: `payload.items.*.sku`.
 * The most common come first.
 */
export function payloadPaths(payloads: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  for (const payload of payloads)
    for (const path of new Set(pathsIn(payload, 'payload', 0))) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MOST_PATHS)
    .map(([path]) => path);
}

function pathsIn(value: unknown, path: string, depth: number): string[] {
  if (typeof value !== 'object' || value === null) return depth === 0 || value === null ? [] : [path];
  if (depth === MOST_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}.*`, depth + 1));
  return Object.entries(value).flatMap(([name, member]) =>
    NAME.test(name) ? pathsIn(member, `${path}.${name}`, depth + 1) : [],
  );
}
