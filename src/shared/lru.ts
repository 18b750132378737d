/** Values used last, up to a total weight. */
export type Lru<T> = {
  get(key: string): T | undefined;
  /** Replaces the value of a key. The value unused for longest goes first; one heavier than everything allowed is not kept. */
  set(key: string, value: T, weight: number): void;
};

/** Holds at most `maxWeight` in all; give each entry a weight of at least 1, so that their number is bounded as well. */
export function createLru<T>(maxWeight: number): Lru<T> {
  const entries = new Map<string, { value: T; weight: number }>();
  let total = 0;
  const remove = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      // Taken out and put back: a Map keeps the order of insertion, so the first one is the least recently used.
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) break;
        remove(oldest);
      }
    },
  };
}
