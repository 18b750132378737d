import type { Pool } from 'pg';
import { IS_ACTIVE } from '../../../platform/db/sql/fragments.ts';
import { isoTime, publishEvents, serviceEvent } from '../../record/statements/service-events.ts';
import { BACKLOG_HIGH } from '../../../kernel/words/event-types.ts';

// Due and unclaimed deliveries of each active subscription, counted only as far as needed: at most 1,001 index entries of each.
const TELL_BACKLOGS = `
  WITH backlog AS (
    SELECT s.id, s.environment_id, s.channel_id, s.backlog_high_since, due.waiting, due.oldest
    FROM subscriptions s
    CROSS JOIN LATERAL (
      SELECT count(*) AS waiting, min(lane.due_at) AS oldest FROM (
        (SELECT d.due_at FROM deliveries d
         WHERE d.subscription_id = s.id AND d.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL
           AND d.policy_attempts = 0 AND d.due_at <= now() ORDER BY d.due_at LIMIT ${BACKLOG_HIGH.waiting + 1})
        UNION ALL
        (SELECT d.due_at FROM deliveries d
         WHERE d.subscription_id = s.id AND d.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL
           AND d.policy_attempts > 0 AND d.due_at <= now() ORDER BY d.due_at LIMIT ${BACKLOG_HIGH.waiting + 1})
      ) AS lane
    ) AS due
    WHERE ${IS_ACTIVE} AND s.deleted_at IS NULL
  ), judged AS (
    SELECT id, environment_id, channel_id, waiting, oldest,
      CASE WHEN backlog_high_since IS NULL THEN
        waiting > ${BACKLOG_HIGH.waiting} OR oldest < now() - interval '${BACKLOG_HIGH.ageSeconds} seconds'
      END AS is_new,
      CASE WHEN backlog_high_since IS NOT NULL THEN
        waiting < ${BACKLOG_HIGH.low.waiting} AND coalesce(oldest > now() - interval '${BACKLOG_HIGH.low.ageSeconds} seconds', true)
      END AS is_over
    FROM backlog
  ), changed AS (
    UPDATE subscriptions s SET backlog_high_since = CASE WHEN j.is_new THEN now() END
    FROM judged j WHERE s.id = j.id AND (j.is_new OR j.is_over)
      AND (s.backlog_high_since IS NULL) = coalesce(j.is_new, false)
    RETURNING s.id, s.environment_id, s.channel_id, j.is_new, least(j.waiting, ${BACKLOG_HIGH.waiting + 1}) AS waiting, j.oldest
  ), told AS (
    SELECT * FROM changed WHERE is_new
  ), ${publishEvents(
    serviceEvent('backlog.high', {
      from: 'told',
      payload: {
        subscriptionId: 'e.id',
        channelId: 'e.channel_id',
        waiting: 'e.waiting',
        oldestDueAt: isoTime('e.oldest'),
      },
    }),
  )}
  SELECT id FROM told`;

/**
 * Sends one event for each backlog that has become high, and the next one only after it was low (BACKLOG_HIGH). Returns their
 * number.
 */
export async function tellHighBacklogs(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({ name: 'tell_backlogs', text: TELL_BACKLOGS });
  return rowCount ?? 0;
}
