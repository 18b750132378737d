import { FAILING_DAYS } from '../words/service-events.ts';

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
