const SOONEST_MS = 1_500;
const LATEST_MS = 15_000;
// After half a minute without a change, poll every 1.5 s; after five minutes, every 15 s.
const PART = 20;

/**
 * Returns the ms until a page polls something unfinished that last changed at `changedAt`: the longer ago, the later.
 * Once something is due it is polled as if it had just changed, and never much later than the due time. All times are
 * clock times in ms.
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

/** The state of a repeated query: when it last succeeded and when it last failed, 0 for never. */
type Asked = { dataUpdatedAt: number; errorUpdatedAt: number; errorUpdateCount: number };

/** Returns the ms until a failed query is repeated. The delay grows while the service is down, up to 15 s. */
export function afterFailureMs(usualMs: number, { dataUpdatedAt, errorUpdatedAt, errorUpdateCount }: Asked): number {
  const outageMs = dataUpdatedAt === 0 ? usualMs * 2 ** errorUpdateCount : errorUpdatedAt - dataUpdatedAt;
  return Math.max(usualMs, Math.min(LATEST_MS, outageMs));
}
