import { FAILING_DAYS } from '../words/event-types.ts';

/**
 * A receiver is failing once this many attempts in a row have failed, the first of them at least this long ago. A deployment that
 * responds 503 for a few seconds is over by then. A receiver that is down counts as failing after a minute, even if nothing is sent to
 * it meanwhile.
 */
export const FAILING_FROM = { attempts: 5, ms: 60_000 } as const;

/** The stored health of a subscription. */
type Health = {
  status: string;
  /** When the first attempt failed since the last successful one; null if none has. */
  failingSince: Date | null;
  /** Failed attempts since then, counted up to `FAILING_FROM.attempts`. */
  failingAttempts: number;
  statusChangedAt: Date | null;
  updatedAt: Date;
};

/** Since when the receiver of a subscription has been failing, or disabled; undefined if it is neither. */
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

/** A receiver whose attempts have failed since this time, or longer, is failing at `now`. */
export const failingFrom = (now: Date): Date => new Date(now.getTime() - FAILING_FROM.ms);

const DAY_MS = 86_400_000;

/** `gone`: the receiver responded 410. `failing`: every attempt failed for five days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * Why the service has disabled a subscription, according to its stored times. Returns undefined for other subscriptions, and if the
 * times no longer tell: a request in flight was delivered later, or the URL was changed, which ends the time of failures.
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
