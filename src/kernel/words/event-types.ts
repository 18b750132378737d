/** Longest eventType, in characters (UTF-16 units), and the most patterns of one subscription (docs/security.md). */
export const MAX_EVENT_TYPE_LENGTH = 128;
export const MAX_EVENT_TYPES = 100;

/**
 * Whether a subscription with these eventTypes wants `eventType`. No patterns mean all; `order.*` means everything that begins with
 * `order.`; `*` alone means all; anything else is compared exactly, case and all. The publish statement does the same in SQL
 * (src/platform/db/sql/wanted.ts), and a test compares them.
 */
export function wantsEventType(eventTypes: readonly string[], eventType: string): boolean {
  if (eventTypes.length === 0) return true;
  return eventTypes.some((wanted) =>
    wanted === '*' ? true : wanted.endsWith('.*') ? eventType.startsWith(wanted.slice(0, -1)) : wanted === eventType,
  );
}

/** Why a pattern in a subscription's eventTypes is refused; undefined when it is fine. A `*` stands alone or last, after a dot. */
export function eventTypePatternProblem(pattern: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star === -1 || pattern === '*') return undefined;
  if (star === pattern.length - 1 && pattern.endsWith('.*') && pattern.length > 2) return undefined;
  return 'a * may only stand alone or at the end after a dot, as in order.*';
}

/**
 * Why a message cannot be published under this event type, because no filter could name it: `*` stands for others, commas separate event
 * types in a query, and blanks around one are lost there. Undefined when it is fine. Messages that are stored already keep theirs.
 */
export function publishedEventTypeProblem(eventType: string): string | undefined {
  if (eventType.includes('*')) return 'must not contain *, which stands for several event types in filters';
  if (eventType.includes(',')) return 'must not contain a comma, which separates event types in filters';
  return eventType === eventType.trim() ? undefined : 'must not begin or end with white space';
}

// A person reads a few of them at most.
const EVENT_TYPES_SHOWN = 10;

/** The patterns as a text for a person: the first ten, and the number of the others. */
export function listedEventTypes(eventTypes: readonly string[]): string {
  const more = eventTypes.length - EVENT_TYPES_SHOWN;
  return `${eventTypes.slice(0, EVENT_TYPES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
