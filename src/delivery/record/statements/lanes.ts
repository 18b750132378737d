/** Deliveries that wait for their first try under a policy, or for a later one. */
export type Lane = 'first' | 'retry';

/** SQL: whether the delivery can be claimed now or later; `prefix` is its alias with a dot, or nothing. */
const claimable = (prefix: '' | 'd.' = ''): string =>
  `${prefix}due_at IS NOT NULL AND ${prefix}holder IS NULL AND ${prefix}carrier IS NULL`;

/** SQL: each lane has its own partial index (deliveries_first_tries, deliveries_retries), so neither is searched among the other. */
export const inLane = (lane: Lane, prefix: '' | 'd.' = ''): string =>
  `${claimable(prefix)} AND ${prefix}policy_attempts ${lane === 'first' ? '= 0' : '> 0'}`;

/** A retry is claimed a little before its time and started at it: nextRetryAt is exact however seldom workers poll. */
export const LEAD_SECONDS: Record<Lane, number> = { first: 0, retry: 0.7 };
