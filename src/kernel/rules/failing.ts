/**
 * A receiver is failing once this many attempts in a row have failed, the last of them at least this long after the first. A deployment
 * that answers 503 for some seconds is over before; a receiver that is down is known as failing after a minute.
 */
export const FAILING_FROM = { attempts: 5, ms: 60_000 } as const;

/** What is stored of a subscription's health. */
type Health = {
  status: string;
  /** When the first attempt failed since the last one that was delivered; null if none has. */
  failingSince: Date | null;
  /** Failed attempts since then. The fifth counts only once `FAILING_FROM.ms` are over, so 5 means that the receiver is failing. */
  failingAttempts: number;
  statusChangedAt: Date | null;
  updatedAt: Date;
};

/** Since when the receiver of a subscription has been failing, or has been disabled; undefined if it is neither. */
export function failingSinceOf({
  status,
  failingSince,
  failingAttempts,
  statusChangedAt,
  updatedAt,
}: Health): Date | undefined {
  const isDisabled = status === 'disabled';
  if (failingSince !== null && (isDisabled || failingAttempts >= FAILING_FROM.attempts)) return failingSince;
  return isDisabled ? (statusChangedAt ?? updatedAt) : undefined;
}
