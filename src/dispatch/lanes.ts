/** Deliveries that wait for their first try under a policy, or for a later one. */
export type Lane = 'first' | 'retry';

const CLAIMABLE = 'due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL';

/** SQL: each lane has its partial index (deliveries_first_tries, deliveries_retries): neither is looked for among the other. */
export const LANES: Record<Lane, string> = {
  first: `${CLAIMABLE} AND policy_attempts = 0`,
  retry: `${CLAIMABLE} AND policy_attempts > 0`,
};

/** A retry is claimed a little before its time and started at it: nextRetryAt is exact however seldom we poll (0.5 s). */
export const LEAD_SECONDS: Record<Lane, number> = { first: 0, retry: 0.7 };
