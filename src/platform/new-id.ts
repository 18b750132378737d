import { encodeBase32, ID_PREFIXES, type IdKind, withTime } from '../kernel/values/ids.ts';
import { randomFillSync } from 'node:crypto';

// One call of the operating system's generator costs as much as a hundred ids do otherwise (13 µs, measured in a burst).
const RANDOM_POOL_BYTES = 4_096;

/**
 * Random bytes for ids and span numbers, drawn in bulk and used once each. Not for secrets, because the bytes are kept in memory
 * beforehand.
 */
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
 * Creates an id that sorts after every id that the same generator created before, of any kind. With `at` it contains that time instead,
 * marked as assigned (`isTimeGiven`), and sorts after those to which the generator recently assigned the same time.
 */
export type NewId = (kind: IdKind, at?: Date) => string;

/**
 * An id generator: `<prefix>_` and a UUIDv7 (RFC 9562 §5.7, method 1: a 12-bit counter after the milliseconds, so that the messages of
 * one batch keep their order). If the counter overflows, or the clock steps back, the time advances by itself.
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
 * Ids with an assigned time: UUIDv8 (RFC 9562 §5.8), like those above except for the version and an 18-bit counter that continues
 * regardless of the time. It only keeps the order of ids with the same time, such as the messages of one batch.
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
