/**
 * The deprecation of a route, as docs/reference/api-conventions.md promises it. Times are days in UTC, `2027-03-01`: a route is
 * deprecated from the beginning of `since` and works until the beginning of `endsAt`.
 */
export type Deprecation = {
  readonly since: string;
  /** Absent until the end has been decided. */
  readonly endsAt?: string;
  /** Path of the route that replaces it. */
  readonly successor?: string;
  /** Page for people with the migration steps. */
  readonly information?: string;
};

/** A route keeps working for at least this long after its deprecation. */
const LEAST_DAYS = 180;
const DAY_MS = 86_400_000;

/**
 * Headers of every response of a deprecated route: Deprecation (RFC 9745 §2.1), Sunset (RFC 8594 §3), and Link with the relations
 * `successor-version` (RFC 5829) and `deprecation` (RFC 9745 §3). Throws for an invalid day, and for an end before the promised time
 * has passed.
 */
export function deprecationHeaders({ since, endsAt, successor, information }: Deprecation): Record<string, string> {
  const sinceMs = startOf(since);
  const endsMs = endsAt === undefined ? undefined : startOf(endsAt);
  if (endsMs !== undefined && endsMs - sinceMs < LEAST_DAYS * DAY_MS)
    throw new Error(
      `A route that is deprecated on ${since} must work for at least ${LEAST_DAYS} days, so it cannot end on ${endsAt}`,
    );
  const links = [
    ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
    ...(information === undefined ? [] : [`<${information}>; rel="deprecation"; type="text/html"`]),
  ];
  return {
    Deprecation: `@${sinceMs / 1000}`,
    ...(endsMs !== undefined && { Sunset: new Date(endsMs).toUTCString() }),
    ...(links.length > 0 && { Link: links.join(', ') }),
  };
}

function startOf(day: string): number {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day)
    throw new Error(`${day} is not a day such as 2027-03-01`);
  return at;
}
