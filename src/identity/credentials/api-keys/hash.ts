import { hash, randomBytes } from 'node:crypto';
import type { EnvironmentKind } from '../../../kernel/words/rights.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 bytes are less than 62^43. */
const KEY_LENGTH = 43;
/**
 * Maximum length of a text that is looked up as a key. Generated keys have 52 characters; imported ones may be longer.
 */
const MAX_KEY_LENGTH = 256;

const PREFIXES: Readonly<Record<EnvironmentKind, string>> = { live: 'svc_live_', test: 'svc_test_' };

/**
 * Creates a key: the prefix of its environment (spec §5) and 32 random bytes in base62. It is shown once and never
 * stored.
 */
export function newKey(environment: EnvironmentKind, random: Buffer = randomBytes(32)): string {
  let rest = BigInt(`0x${random.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < KEY_LENGTH; digit += 1) {
    text = `${BASE62[Number(rest % 62n)]}${text}`;
    rest /= 62n;
  }
  return PREFIXES[environment] + text;
}

/**
 * SHA-256 of a key. A key has 256 random bits, so it cannot be guessed and needs no slow hash; and looking it up by the
 * unique index on the hash has no timing that reveals how much of a key was right. Not for secrets that people choose.
 */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The parts of a key that can be shown: its first 12 characters and its last 4. */
export const keyHint = (key: string): { prefix: string; last4: string } => ({
  prefix: key.slice(0, 12),
  last4: key.slice(-4),
});

/**
 * Returns the environment that the prefix of a key names; undefined if this cannot be a key of ours, which saves a
 * query.
 */
export function environmentOfKey(key: string): EnvironmentKind | undefined {
  if (key.length > MAX_KEY_LENGTH) return undefined;
  if (key.startsWith(PREFIXES.live)) return 'live';
  return key.startsWith(PREFIXES.test) ? 'test' : undefined;
}
