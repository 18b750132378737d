import { isAscii } from 'node:buffer';

/** Bytes of a body that are read before the connection is given up, and bytes of it that are kept as text. */
export const BODY_BOUNDS = { read: 65_536, kept: 16_384 } as const;

/** Largest total of kept header names and values, in characters. */
const MAX_HEADER_CHARACTERS = 16_384;

/** UTF-8 of at most 16 KiB that ends on a whole character. `stream` keeps back the beginning of a cut one. */
function decode(bytes: Buffer): string {
  const isCut = bytes.length > BODY_BOUNDS.kept;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, BODY_BOUNDS.kept), { stream: isCut });
}

/**
 * The kept part of a body as text: at most 16 KiB of UTF-8, with U+FFFD for invalid bytes and for NUL, which PostgreSQL does not
 * store. Any bytes are taken as UTF-8, whatever content-type or content-encoding say.
 */
export function bodyText(bytes: Buffer): string {
  // Most answers: a decoder costs more than the rest of the reading.
  if (bytes.length <= BODY_BOUNDS.kept && isAscii(bytes) && !bytes.includes(0)) return bytes.toString('latin1');
  const text = decode(bytes).replaceAll('\0', '\uFFFD');
  // A replacement takes three bytes where one was: 16 KiB of rubbish would be kept as 48.
  return Buffer.byteLength(text) > BODY_BOUNDS.kept ? decode(Buffer.from(text)) : text;
}

/** Control characters except the tab: NUL and the like would break the record or a terminal. */
const CONTROL = /[^\P{Cc}\t]/gu;

/** Headers by lower-case name, values of repeated ones joined with a comma, at most 16 KiB together; more are left out. */
export function headerRecord(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  let size = 0;
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = [value].flat().join(', ').replace(CONTROL, '\uFFFD');
    size += name.length + text.length;
    return size > MAX_HEADER_CHARACTERS ? [] : [[name, text] as const];
  });
  // fromEntries makes own members: a header that is called __proto__ stays a header.
  return Object.fromEntries(kept);
}
