/**
 * SQL, JSON: the retry policy in the columns of the row `alias`: a subscription, or a delivery that keeps the policy it was published
 * under.
 */
export const policyOf = (alias: 'c' | 'd' | 's'): string =>
  `json_build_object('maxRetries', ${alias}.max_retries, 'initialDelay', ${alias}.initial_delay,
                     'maxDelay', ${alias}.max_delay, 'backoffMultiplier', ${alias}.backoff_multiplier)`;

/** SQL, JSON: the secrets of the subscription `s` that sign now, newest first, without those past their overlap. */
export const LIVE_SECRETS = `(SELECT coalesce(json_agg(json_build_object('id', k.id, 'ciphertext', k.ciphertext) ORDER BY k.id DESC), '[]')
     FROM subscription_secrets k
     WHERE k.subscription_id = s.id AND (k.expires_at IS NULL OR k.expires_at > now()))`;

/** SQL: whether the subscription `s` takes tries by its own state, a circuit left out. A suspended app's take none. */
export const IS_ACTIVE = `s.status = 'active' AND s.app_suspended_at IS NULL`;

/** SQL: for how many ms the circuit of the subscription `s` takes no try; null when it is closed. PostgreSQL's clock alone counts. */
export const PROBE_IN_MS = '(extract(epoch FROM s.circuit_probe_at - now()) * 1000)::float8';

/**
 * SQL: whether the last probe of an active subscription `s` has failed. The index subscriptions_probes_failed has just these. With
 * `deleted_at IS NULL` a database without statistics would look through all subscriptions by the index of a channel's.
 */
export const HAS_FAILED_PROBE = `s.circuit_probe_failed_at IS NOT NULL AND ${IS_ACTIVE} AND num_nulls(s.deleted_at) = 1`;
