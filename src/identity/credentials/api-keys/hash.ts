import { hash, randomBytes } from 'node:crypto';
import type { EnvironmentKind } from '../../../kernel/words/rights.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 bytes are below 62^43. */
const KEY_LENGTH = 43;
/** Longest text that is looked up as a key; ours have 52 characters, imported ones may be longer. */
const MAX_KEY_LENGTH = 256;

const PREFIXES: Readonly<Record<EnvironmentKind, string>> = { live: 'svc_live_', test: 'svc_test_' };

/** A new key: the prefix of its environment (spec §5) and 32 random bytes in base62. Shown once, never stored. */
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
 * SHA-256 of a whole key. A key holds 256 random bits, so there is nothing to guess and no slow hash is needed; the look-up
 * by the hash's unique index has no timing that says how much of a key was right. Not for secrets that people choose.
 */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The part of a key that may be shown: its first 12 characters and its last 4. */
export const keyHint = (key: string): { prefix: string; last4: string } => ({
  prefix: key.slice(0, 12),
  last4: key.slice(-4),
});

/** The environment a key's prefix names; undefined when it can be no key of ours, and no query is worth it. */
export function environmentOfKey(key: string): EnvironmentKind | undefined {
  if (key.length > MAX_KEY_LENGTH) return undefined;
  if (key.startsWith(PREFIXES.live)) return 'live';
  return key.startsWith(PREFIXES.test) ? 'test' : undefined;
}
