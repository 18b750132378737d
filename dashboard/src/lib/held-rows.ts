type Row = { id: string };

/**
 * Keeps a list still while it is read, newest first. `shown` is the rows so far; rows that have left the service's list
 * keep their place. Rows newer than `top` wait, and older ones join at the end. Ids sort by time.
 */
export function heldRows<T extends Row>(
  shown: readonly T[],
  latest: readonly T[],
  { top, hasMore }: { top: string; hasMore: boolean },
): { rows: readonly T[]; fresh: number; gone: ReadonlySet<string> } {
  const current = new Map(latest.map((row) => [row.id, row]));
  const rows = new Map([...shown, ...latest.filter(({ id }) => id <= top)].map((row) => [row.id, row]));
  const last = latest.at(-1)?.id;
  // If there are more rows to load, the service's page does not cover the rows after its last one.
  const isCovered = (id: string): boolean => !hasMore || (last !== undefined && id >= last);
  return {
    rows: [...rows.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    fresh: latest.filter(({ id }) => id > top).length,
    gone: new Set([...rows.keys()].filter((id) => !current.has(id) && isCovered(id))),
  };
}
