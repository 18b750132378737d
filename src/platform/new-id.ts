import { encodeBase32, ID_PREFIXES, type IdKind, withTime } from '../kernel/values/ids.ts';
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

/**
 * Makes an id that sorts behind every id the same maker made before, of any kind. With `at` it carries that time instead, marked
 * as given (`isTimeGiven`), and sorts behind those that the maker gave the same time shortly before.
 */
export type NewId = (kind: IdKind, at?: Date) => string;

/**
 * A maker of ids: `<prefix>_` and a UUIDv7 (RFC 9562 §5.7, method 1: a 12-bit counter behind the millisecond, so that the
 * messages of one batch keep their order). When the counter runs out, or the clock steps back, the time goes on by itself.
 */
export function createNewId(now: () => number): NewId {
  const random = createRandomBytes();
  let milliseconds = 0;
  let counter = 0;
  const newIdAt = createNewIdAt(random);
  return (kind, at) => {
    if (at !== undefined) return newIdAt(kind, at.getTime());
    const time = now();
    counter += 1;
    if (time > milliseconds || counter > 0xfff) {
      milliseconds = Math.max(time, milliseconds + (counter > 0xfff ? 1 : 0));
      counter = 0;
    }
    const bytes = withTime(random.take(16), milliseconds);
    bytes[6] = 0x70 | (counter >> 8);
    bytes[7] = counter & 0xff;
    bytes[8] = 0x80 | (Number(bytes[8]) & 0x3f);
    return `${ID_PREFIXES[kind]}_${encodeBase32(bytes)}`;
  };
}

/**
 * Ids that are given their time: UUIDv8 (RFC 9562 §5.8), like those above but for the version and an 18-bit counter that goes on
 * whatever the time: it only keeps the order of what gets one time, such as messages of one batch.
 */
function createNewIdAt(random: ReturnType<typeof createRandomBytes>): (kind: IdKind, milliseconds: number) => string {
  let counter = 0;
  return (kind, milliseconds) => {
    counter = (counter + 1) & 0x3ffff;
    const bytes = withTime(random.take(16), milliseconds);
    bytes[6] = 0x80 | (counter >> 14);
    bytes[7] = (counter >> 6) & 0xff;
    bytes[8] = 0x80 | (counter & 0x3f);
    return `${ID_PREFIXES[kind]}_${encodeBase32(bytes)}`;
  };
}
