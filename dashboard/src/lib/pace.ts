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
