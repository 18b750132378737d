import { randomFillSync } from 'node:crypto';

// One call of the operating system's generator costs as much as a hundred ids do otherwise (13 µs, measured in a burst).
const RANDOM_POOL_BYTES = 4_096;

/** Random bytes for ids and numbers of spans, drawn in bulk and each handed out once. Not for secrets: the bytes lie in memory before. */
export function createRandomBytes(): { take(count: number): Uint8Array } {
  const pool = new Uint8Array(RANDOM_POOL_BYTES);
  let used = RANDOM_POOL_BYTES;
  return {
    take(count) {
      if (used + count > RANDOM_POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      used += count;
      return pool.slice(used - count, used);
    },
  };
}
