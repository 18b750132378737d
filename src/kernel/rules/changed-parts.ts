type Fields = Readonly<Record<string, unknown>>;

/** The named fields of a resource before and after a change. */
export const changedParts = (
  before: Fields,
  after: Fields,
  names: readonly string[],
): { before: Record<string, unknown>; after: Record<string, unknown> } => ({
  before: pick(before, names),
  after: pick(after, names),
});

const pick = (fields: Fields, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
