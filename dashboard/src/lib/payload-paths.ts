/** So deep are payloads looked through, and so many paths are found, at most. */
const [MOST_DEPTH, MOST_PATHS] = [4, 12];
/** Members that a path can name (docs/reference/filters.md). */
const NAME = /^[A-Za-z_][\w-]*$/;

/** Paths of texts, numbers and truth values in payloads, as the search takes them: `payload.items.*.sku`. The most common come first. */
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
