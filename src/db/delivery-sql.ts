/** SQL, a SET list: the delivery `d` is due again in its next round, under the policy that its subscription `s` has now. */
export const NEXT_ROUND = `status = 'pending', round = d.round + 1, policy_attempts = 0, policy_started_at = now(), due_at = now(),
      holder = NULL, carrier = NULL, next_retry_at = NULL, last_chance_until = NULL, failure_reason = NULL, held_reason = NULL, held_since = NULL,
      held_sent = NULL, takeovers = 0, max_retries = s.max_retries, initial_delay = s.initial_delay, max_delay = s.max_delay, backoff_multiplier = s.backoff_multiplier`;

/** SQL, JSON: the retry policy in the columns of the row `alias`. */
export const policyOf = (alias: 'd' | 's'): string =>
  `json_build_object('maxRetries', ${alias}.max_retries, 'initialDelay', ${alias}.initial_delay,
                     'maxDelay', ${alias}.max_delay, 'backoffMultiplier', ${alias}.backoff_multiplier)`;

/** SQL, JSON: the secrets of the subscription `s` that sign now, newest first; those past their overlap are left out. */
export const LIVE_SECRETS = `(SELECT coalesce(json_agg(json_build_object('id', k.id, 'ciphertext', k.ciphertext) ORDER BY k.id DESC), '[]')
     FROM subscription_secrets k
     WHERE k.subscription_id = s.id AND (k.expires_at IS NULL OR k.expires_at > now()))`;
