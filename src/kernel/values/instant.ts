import { type IdKind, lowestIdAt } from './ids.ts';

/**
 * A moment as a caller wrote it, in nanoseconds since 1970 (UTC). Stored times are whole milliseconds; a bound truncated to that would
 * fall on the wrong side of a message in the same millisecond.
 */
export type Instant = bigint;

const NANOSECONDS = 1_000_000n;

/** The last whole millisecond that is not later, in ms since 1970. */
export function millisecondsOf(instant: Instant): number {
  const towardsZero = instant / NANOSECONDS;
  return Number(instant < towardsZero * NANOSECONDS ? towardsZero - 1n : towardsZero);
}

/** The first whole millisecond that is later: the start of "after this". */
export const firstTimeAfter = (instant: Instant): Date => new Date(millisecondsOf(instant) + 1);

/** The first whole millisecond that is not earlier: the start of "from this on", and the end of "before this". */
export const firstTimeFrom = (instant: Instant): Date => new Date(-millisecondsOf(-instant));

/** Time window of a list: later than `since` and earlier than `until`. It is empty if `since` is not before `until`. */
export type TimeWindow = { since?: Instant | undefined; until?: Instant | undefined };

/** The ids of that kind whose time is in the window: at or above `from`, below `before`. */
export const idsWithin = (kind: IdKind, { since, until }: TimeWindow): IdRange => ({
  from: since === undefined ? undefined : lowestIdAt(kind, firstTimeAfter(since)),
  before: until === undefined ? undefined : lowestIdAt(kind, firstTimeFrom(until)),
});

export type IdRange = { from?: string | undefined; before?: string | undefined };

/** The window in the format that a cursor is bound to. */
export const windowText = ({
  since,
  until,
}: TimeWindow): { since?: string | undefined; until?: string | undefined } => ({
  since: since?.toString(),
  until: until?.toString(),
});
