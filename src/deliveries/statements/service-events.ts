import { systemChannel } from '../../db/sql/system-channel.ts';
import type { ServiceEvents, ServiceEventType } from '../../kernel/words/service-events.ts';
import { fanOut } from './insert.ts';

/** SQL: a time in the form of the other JSON, ISO 8601 UTC with milliseconds. */
export const isoTime = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL: one SELECT of service events for `publishEvents`, one for each row of `from`, which has environment_id, and channel_id (null: of no
 * channel). `payload` gives an SQL expression for every field of the event's payload.
 */
export function serviceEvent<T extends ServiceEventType>(
  eventType: T,
  { from, payload }: { from: string; payload: Record<keyof ServiceEvents[T], string> },
): string {
  const fields = Object.entries<string>(payload).map(([field, expression]) => `'${field}', ${expression}`);
  return `SELECT e.environment_id, '${eventType}' AS event_type, json_build_object(${fields.join(', ')})::text AS payload
    FROM ${from} e WHERE e.channel_id IS DISTINCT FROM ${systemChannel('e.environment_id')}`;
}

/** SQL: the service events of new dead letters, which `from` returns whole. */
export const deliveryExhausted = (from: string): string =>
  serviceEvent('delivery.exhausted', {
    from,
    payload: {
      subscriptionId: 'e.subscription_id',
      channelId: 'e.channel_id',
      deliveryId: 'e.delivery_id',
      messageId: 'e.message_id',
      deadLetterId: 'e.id',
      reason: 'e.reason',
      attempts: 'e.attempts',
    },
  });

/** SQL: the service events of new dead letters of runs, which `from` returns whole. */
export const runFailed = (from: string): string =>
  serviceEvent('run.failed', {
    from,
    payload: {
      workflowId: 'e.workflow_id',
      runId: 'e.run_id',
      stepId: 'e.step_id',
      deadLetterId: 'e.id',
      reason: 'e.reason',
      attempts: 'e.attempts',
    },
  });

/**
 * SQL: two CTEs that publish the rows of `events` (`serviceEvent`, joined by UNION ALL) on the system channels of their environments.
 * They belong to the statement, and so to the transaction, that causes the events. Dispatchers find the deliveries at their next poll.
 */
export const publishEvents = (events: string): string => `
  event AS (
    INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
    SELECT v.id, v.environment_id, ${systemChannel('v.environment_id')}, v.event_type, v.payload, posthorn_time(v.id)
    FROM (SELECT posthorn_id('msg') AS id, e.* FROM (${events}) e) v
    RETURNING id, environment_id, channel_id, event_type
  ), event_delivery AS (${fanOut({ messages: 'event m' })}
  )`;
