/** The trace that a message belongs to, as it is stored (W3C Trace Context §3). Null if the publish request named none. */
export type TraceContext = { traceparent: string | null; tracestate: string | null };

export const NO_TRACE: TraceContext = { traceparent: null, tracestate: null };

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZERO = /^0+$/;
// Sampled and, since level 2, random: the other bits must be zero because they have no meaning yet (§3.2.2.5).
const KNOWN_FLAGS = 0b11;

const KEY = '(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})';
// Printable ASCII without comma and equals sign, up to 256 characters, no space at the end.
const MEMBER = new RegExp(`^${KEY}=[ -+\\--<>-~]{0,255}[!-+\\--<>-~]$`);
const TRACESTATE = { members: 32, characters: 512, longMember: 128 } as const;
/** A longer header is dropped unread: 32 members of 128 characters with their commas and blanks fit (all headers of a request: 16 KiB). */
const MAX_HEADER_LENGTH = 4_608;

/**
 * Reads the two headers of a publish request (W3C Trace Context §3.2, §3.3). A malformed header is ignored, never rejected: without a
 * valid traceparent there is no trace, and an invalid tracestate, or one of more than 4,608 characters, is dropped alone. A version
 * above 00 is read as 00. Up to 512 characters of a tracestate are kept: members of more than 128 are dropped first, then those at its
 * end (§3.3.1.5).
 */
export function readTraceContext(traceparent: string | undefined, tracestate: string | undefined): TraceContext {
  const [, version = '', traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const isGood =
    version !== '' &&
    version !== 'ff' &&
    !(version === '00' && more !== undefined) &&
    !ALL_ZERO.test(traceId) &&
    !ALL_ZERO.test(parentId);
  if (!isGood) return NO_TRACE;
  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16).padStart(2, '0');
  return { traceparent: `00-${traceId}-${parentId}-${known}`, tracestate: keptState(tracestate) };
}

/** The id of a trace, as in logs and tracing systems; undefined without a valid traceparent. */
export const traceIdOf = (traceparent: string | null | undefined): string | undefined =>
  readTraceContext(traceparent ?? undefined, undefined).traceparent?.slice(3, 35);

/** Trims blanks and tabs. A regular expression for those at the end would scan a run of them once per character. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

function keptState(text: string | undefined): string | null {
  if (text === undefined || text.length > MAX_HEADER_LENGTH) return null;
  const members = text.split(',').map(withoutBlanks);
  const named = members.filter((member) => member !== '');
  if (named.length === 0 || named.length > TRACESTATE.members) return null;
  if (!named.every((member) => MEMBER.test(member))) return null;
  if (named.join(',').length <= TRACESTATE.characters) return named.join(',');
  const short = named.filter((member) => member.length <= TRACESTATE.longMember);
  while (short.join(',').length > TRACESTATE.characters) short.pop();
  return short.length === 0 ? null : short.join(',');
}

/**
 * The headers of a request that belongs to the trace: the same trace-id and flags, a new parent-id (16 hexadecimal digits, not all
 * zero), tracestate unchanged (§3.4). Empty without a trace.
 */
export function traceHeaders(
  { traceparent, tracestate }: TraceContext,
  newParentId: () => string,
): Record<string, string> {
  if (traceparent === null) return {};
  return {
    traceparent: `${traceparent.slice(0, 36)}${newParentId()}${traceparent.slice(52)}`,
    ...(tracestate !== null && { tracestate }),
  };
}
