import { FAILING_DAYS } from '../words/event-types.ts';

/**
 * A receiver is failing once this many attempts in a row have failed, the first of them at least this long ago. A deployment that answers
 * 503 for some seconds is over by then. A receiver that is down is failing after a minute, even if nothing is sent to it meanwhile.
 */
export const FAILING_FROM = { attempts: 5, ms: 60_000 } as const;

/** What is stored of a subscription's health. */
type Health = {
  status: string;
  /** When the first attempt failed since the last one that was delivered; null if none has. */
  failingSince: Date | null;
  /** Failed attempts since then, counted up to `FAILING_FROM.attempts`. */
  failingAttempts: number;
  statusChangedAt: Date | null;
  updatedAt: Date;
};

/** Since when the receiver of a subscription has been failing, or has been disabled; undefined if it is neither. */
export function failingSinceOf(
  { status, failingSince, failingAttempts, statusChangedAt, updatedAt }: Health,
  now: Date,
): Date | undefined {
  const isDisabled = status === 'disabled';
  const isFailing =
    failingAttempts >= FAILING_FROM.attempts && failingSince !== null && failingSince <= failingFrom(now);
  if (failingSince !== null && (isDisabled || isFailing)) return failingSince;
  return isDisabled ? (statusChangedAt ?? updatedAt) : undefined;
}

/** A receiver whose attempts fail since then, or longer, is failing at `now`. */
export const failingFrom = (now: Date): Date => new Date(now.getTime() - FAILING_FROM.ms);

const DAY_MS = 86_400_000;

/** A receiver has answered 410, or has taken nothing for five days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * Why the service has disabled a subscription, from what is stored of it. Undefined for others, and where the times tell it no more: a
 * request that was under way has arrived since, or another URL was written, and the time of failures has ended.
 */
export function disabledReasonOf({
  status,
  failingSince,
  resumedAt,
  statusChangedAt,
}: {
  status: string;
  failingSince: Date | null;
  /** Failures before this time do not count for the five days. */
  resumedAt: Date | null;
  statusChangedAt: Date | null;
}): DisabledReason | undefined {
  if (status !== 'disabled' || failingSince === null || statusChangedAt === null) return undefined;
  if (failingSince > statusChangedAt) return undefined;
  const countedFrom = Math.max(failingSince.getTime(), resumedAt?.getTime() ?? 0);
  return statusChangedAt.getTime() - countedFrom > FAILING_DAYS * DAY_MS ? 'failing' : 'gone';
}
