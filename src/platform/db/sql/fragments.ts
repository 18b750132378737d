/**
 * SQL, JSON: the retry policy in the columns of the row `alias`: a subscription, or a delivery that keeps the policy it was published
 * under.
 */
export const policyOf = (alias: 'c' | 'd' | 's'): string =>
  `json_build_object('maxRetries', ${alias}.max_retries, 'initialDelay', ${alias}.initial_delay,
                     'maxDelay', ${alias}.max_delay, 'backoffMultiplier', ${alias}.backoff_multiplier)`;

/** SQL, JSON: the active secrets of the subscription `s`, newest first, without those whose overlap has ended. */
export const LIVE_SECRETS = `(SELECT coalesce(json_agg(json_build_object('id', k.id, 'ciphertext', k.ciphertext) ORDER BY k.id DESC), '[]')
     FROM subscription_secrets k
     WHERE k.subscription_id = s.id AND (k.expires_at IS NULL OR k.expires_at > now()))`;

/** SQL: whether the subscription `s` accepts attempts, apart from its circuit breaker. Those of a suspended app do not. */
export const IS_ACTIVE = `s.status = 'active' AND s.app_suspended_at IS NULL`;

/** SQL: for how many ms the circuit of the subscription `s` allows no attempt; null if it is closed. Only PostgreSQL's clock counts. */
export const PROBE_IN_MS = '(extract(epoch FROM s.circuit_probe_at - now()) * 1000)::float8';

/**
 * SQL: whether the last probe of an active subscription `s` has failed. The index subscriptions_probes_failed contains just these. With
 * `deleted_at IS NULL`, a database without statistics would scan all subscriptions by the index of a channel's.
 */
export const HAS_FAILED_PROBE = `s.circuit_probe_failed_at IS NOT NULL AND ${IS_ACTIVE} AND num_nulls(s.deleted_at) = 1`;

/**
 * SQL: whether the eventTypes `patterns` (an array) match the message `m`. `wantsEventType` in src/kernel/words/event-types.ts does the
 * same in TypeScript, and a test compares them.
 */
export const wantedBy = (patterns: string): string => `(cardinality(${patterns}) = 0 OR EXISTS (
      SELECT FROM unnest(${patterns}) AS wanted
      WHERE wanted = '*' OR wanted = m.event_type
         OR (right(wanted, 2) = '.*' AND starts_with(m.event_type, left(wanted, -1)))))`;

/** SQL: whether the subscription `s` matches the message `m`. */
export const WANTED = wantedBy('s.event_types');

/** SQL: the system channel of an environment; `systemChannelId` does the same in TypeScript, and a test compares them. */
export const systemChannel = (environmentId: string): string => `('chn' || substr(${environmentId}, 4))`;

/** SQL: whether an environment, such as `$1`, may use the connection `c`: it is its own, or shared by the other environment of its app. */
export const mayUseConnection = (
  environmentId: string,
): string => `(c.environment_id = ${environmentId} OR (c.shared AND EXISTS (
  SELECT FROM environments owner JOIN environments own ON own.app_id = owner.app_id
  WHERE owner.id = c.environment_id AND own.id = ${environmentId})))`;

/**
 * Rows that are exempt from retention although they have expired. An open dead letter keeps its message or run as long as it can be
 * replayed, which ends when its subscription or workflow is deleted.
 */

/** SQL: a row for each reason to keep the message with that id. A run reads its message until it has finished. */
export const keepsMessage = (id: string): string => `
  SELECT true AS is_kept FROM deliveries d
  LEFT JOIN dead_letters l ON l.delivery_id = d.id AND l.status = 'open'
  LEFT JOIN subscriptions s ON s.id = l.subscription_id AND s.deleted_at IS NULL
  WHERE d.message_id = ${id} AND (d.due_at IS NOT NULL OR s.id IS NOT NULL)
  UNION ALL
  SELECT true FROM runs r WHERE r.message_id = ${id} AND r.finished_at IS NULL
  UNION ALL
  SELECT true FROM dead_letters l JOIN workflows w ON w.id = l.workflow_id AND w.deleted_at IS NULL
  WHERE l.message_id = ${id} AND l.run_id IS NOT NULL AND l.status = 'open'`;

/** SQL: a row for each dead letter that keeps the finished run with that id. */
export const keepsRun = (id: string): string => `
  SELECT FROM dead_letters l JOIN workflows w ON w.id = l.workflow_id AND w.deleted_at IS NULL
  WHERE l.run_id = ${id} AND l.run_id IS NOT NULL AND l.status = 'open'`;
