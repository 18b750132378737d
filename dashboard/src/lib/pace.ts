const SOONEST_MS = 1_500;
const LATEST_MS = 15_000;
// Something that has not changed for half a minute is looked at every 1.5 s, for five minutes every 15 s.
const PART = 20;

/**
 * Ms until a page looks again at something unfinished that has not changed since `changedAt`: the longer, the later. From the time on at
 * which something is due it is looked at as if it had just changed, and not much later than that. All times are ms of the clock.
 */
export function nextLookMs({
  now,
  changedAt,
  dueAt,
}: {
  now: number;
  changedAt: number;
  dueAt: number | undefined;
}): number {
  const isDue = dueAt !== undefined && dueAt <= now;
  const unchangedMs = now - (isDue ? Math.max(changedAt, dueAt) : changedAt);
  const pace = Math.min(LATEST_MS, Math.max(SOONEST_MS, unchangedMs / PART));
  return dueAt === undefined || isDue ? pace : Math.min(pace, Math.max(SOONEST_MS, dueAt - now));
}

/** How a question that is asked again and again stands: when it was last answered, and when it last failed. 0: never. */
type Asked = { dataUpdatedAt: number; errorUpdatedAt: number; errorUpdateCount: number };

/** Ms until a question that has failed is asked again: later each time, as long as the service is away, and within 15 s. */
export function afterFailureMs(usualMs: number, { dataUpdatedAt, errorUpdatedAt, errorUpdateCount }: Asked): number {
  const outageMs = dataUpdatedAt === 0 ? usualMs * 2 ** errorUpdateCount : errorUpdatedAt - dataUpdatedAt;
  return Math.max(usualMs, Math.min(LATEST_MS, outageMs));
}
