import { createHash, timingSafeEqual } from 'node:crypto';
import { type Incoming, SignatureRefused, TOLERANCE_SECONDS } from './scheme.ts';

/** Returns the only value of a header. Several values are refused because it is not clear which one was signed. */
export function onlyHeader(incoming: Incoming, name: string): string {
  const [value = '', ...more] = incoming.header(name);
  if (more.length > 0) throw new SignatureRefused('signature_malformed', `the header ${name} occurs more than once`);
  if (value === '') throw new SignatureRefused('signature_missing', `the header ${name} is missing`);
  return value;
}

const HEX = /^(?:[0-9a-f]{2})+$/i;

/**
 * Maximum characters of one signature. RSA with 4,096 bits needs 684; a signature in a body could be a million long.
 */
const MAX_SIGNATURE_LENGTH = 2_048;

/**
 * Decodes a signature. Returns undefined for more than 2,048 characters and for text that is not an exact encoding,
 * because Node's decoders skip invalid characters.
 */
export function decoded(text: string, encoding: 'hex' | 'base64'): Buffer | undefined {
  if (text.length > MAX_SIGNATURE_LENGTH) return undefined;
  if (encoding === 'hex') return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : undefined;
}

/** Whether any candidate equals any expected value. Compares all pairs, each in constant time. */
export function isAmong(candidates: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let found = false;
  for (const candidate of candidates)
    for (const each of expected) if (candidate.length === each.length && timingSafeEqual(candidate, each)) found = true;
  return found;
}

/** Compares texts of any length by their hashes, which have equal lengths. */
export const isOneOf = (given: string, secrets: readonly string[]): boolean =>
  isAmong([hashOf(given)], secrets.map(hashOf));

const hashOf = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();

/** Creates an event id from the signed content, for requests without an id. */
export const replayKeyOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return `signed:${hash.digest('hex')}`;
};

export type TimeUnit = 'seconds' | 'milliseconds' | 'iso8601';
const DIGITS = /^[0-9]{1,15}$/;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Refuses a signed time that cannot be parsed or differs from now by more than the tolerance. */
export function requireFresh(
  text: string,
  { now, unit = 'seconds', tolerance = TOLERANCE_SECONDS }: { now: Date; unit?: TimeUnit; tolerance?: number },
): void {
  const milliseconds = unit === 'iso8601' ? timeOf(text) : DIGITS.test(text) ? Number(text) * FACTOR[unit] : Number.NaN;
  if (Number.isNaN(milliseconds))
    throw new SignatureRefused('signature_malformed', `the signed time must be in ${NAMED[unit]}`);
  const offBySeconds = Math.abs(now.getTime() - milliseconds) / 1_000;
  if (offBySeconds > tolerance)
    throw new SignatureRefused(
      'timestamp_stale',
      `the signed time differs from the server time by more than ${tolerance} s`,
    );
}

/** Formats a time in the given unit. */
export function timeText(at: Date, unit: TimeUnit = 'seconds'): string {
  if (unit === 'iso8601') return at.toISOString();
  return String(Math.floor(at.getTime() / FACTOR[unit]));
}

const FACTOR = { seconds: 1_000, milliseconds: 1 } as const;
const NAMED = { seconds: 'seconds', milliseconds: 'milliseconds', iso8601: 'ISO 8601' } as const;
const timeOf = (text: string): number => (ISO.test(text) ? Date.parse(text) : Number.NaN);
