/** The prefix of every kind of id. `oac` comes from the specification; the others are ours. */
export const ID_PREFIXES = {
  organisation: 'org',
  app: 'app',
  environment: 'env',
  channel: 'chn',
  message: 'msg',
  subscription: 'sub',
  secret: 'sec',
  delivery: 'dlv',
  attempt: 'att',
  deadLetter: 'dlq',
  bulkReplay: 'rpl',
  bulkRetry: 'rty',
  messageReplay: 'rpm',
  workflow: 'wfl',
  run: 'run',
  approval: 'apv',
  connector: 'con',
  connection: 'cxn',
  apiKey: 'key',
  machineCredential: 'oac',
  incarnation: 'inc',
  auditEntry: 'aud',
  user: 'usr',
  session: 'ses',
  invitation: 'inv',
  passkey: 'pky',
  view: 'viw',
  webhook: 'whk',
  inboundRefusal: 'irf',
  inboundReceipt: 'irc',
  inspector: 'ins',
  inspectedRequest: 'irq',
  marker: 'mrk',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

// Crockford's alphabet in lower case, without i, l, o, u; its characters sort like the numbers they represent.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Pattern of the part after the prefix. */
export const ID_FORM = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const WITHOUT_PREFIX = new RegExp(`^${ID_FORM}$`);
const WITH_PREFIX = new RegExp(`^[a-z]{3}_${ID_FORM}$`);

/** Encodes 128 bits (16 bytes) as 26 characters that sort like the number. The first character is 0–7. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 2; // 130 bits hold 26 characters: two zero bits go first
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0x1fff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
  }
  return text;
}

/** Whether `value` is a well-formed id of that kind: prefix, underscore, 26 characters. Does not check that it exists. */
export function isId(kind: IdKind, value: string): boolean {
  const prefix = `${ID_PREFIXES[kind]}_`;
  return value.startsWith(prefix) && WITHOUT_PREFIX.test(value.slice(prefix.length));
}

/** Whether `value` is a well-formed id of any kind. Such a text is safe to pass to a query. */
export const hasIdForm = (value: string): boolean => WITH_PREFIX.test(value);

/**
 * The smallest id of that kind that can be created at `time` (UTC, whole milliseconds, with which a UUIDv7 begins, RFC 9562 §5.7). `id
 * >= lowestIdAt(kind, t)` means "created at or after t".
 */
export function lowestIdAt(kind: IdKind, time: Date): string {
  return `${ID_PREFIXES[kind]}_${encodeBase32(withTime(new Uint8Array(16), time.getTime()))}`;
}

// The character after the time contains the four bits of the version and one of the counter: 14 and 15 for version 7, 16 and 17 for
// version 8.
const FIRST_OF_VERSION_8 = 'g';

/**
 * Whether an id contains an assigned time (UUIDv8) instead of its creation time (UUIDv7): the message was accepted before that time, to
 * be published at it.
 */
export const isTimeGiven = (id: string): boolean => (id.slice(id.indexOf('_') + 1)[10] ?? '') >= FIRST_OF_VERSION_8;

/** Writes the 48-bit millisecond time into the first six bytes, in place, and returns the same bytes. */
export function withTime(bytes: Uint8Array, milliseconds: number): Uint8Array {
  let rest = Math.min(Math.max(milliseconds, 0), 2 ** 48 - 1);
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

/** The millisecond time in an id. Returns undefined for anything that is not an id of that kind. */
export function timeOfId(kind: IdKind, id: string): Date | undefined {
  if (!isId(kind, id)) return undefined;
  let milliseconds = 0;
  // The first 10 characters contain 50 bits: the two padding bits and the 48 of the time.
  for (const character of id.slice(ID_PREFIXES[kind].length + 1).slice(0, 10)) {
    milliseconds = milliseconds * 32 + ALPHABET.indexOf(character);
  }
  return new Date(milliseconds);
}
