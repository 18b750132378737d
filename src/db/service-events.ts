import type { ServiceEvents, ServiceEventType } from '../shared/service-events.ts';
import { WANTED } from './fan-out.ts';

/** SQL: the system channel of an environment; `systemChannelId` says the same in TypeScript, and a test compares them. */
export const systemChannel = (environmentId: string): string => `('chn' || substr(${environmentId}, 4))`;

/** SQL: a time as JSON has it elsewhere, ISO 8601 UTC with milliseconds. */
export const isoTime = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL: one SELECT of service events for `publishEvents`: of each row of `from`, which has environment_id and channel_id.
 * `payload` gives an SQL expression for every field of the event's payload.
 */
export function serviceEvent<T extends ServiceEventType>(
  eventType: T,
  { from, payload }: { from: string; payload: Record<keyof ServiceEvents[T], string> },
): string {
  const fields = Object.entries<string>(payload).map(([field, expression]) => `'${field}', ${expression}`);
  return `SELECT e.environment_id, '${eventType}' AS event_type, json_build_object(${fields.join(', ')})::text AS payload
    FROM ${from} e WHERE e.channel_id <> ${systemChannel('e.environment_id')}`;
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

/**
 * SQL: two CTEs that publish the rows of `events` (`serviceEvent`, joined by UNION ALL) on the system channels of their
 * environments, in the statement, and so in the transaction, that does what they tell of. Dispatchers find the deliveries
 * at their next poll.
 */
export const publishEvents = (events: string): string => `
  event AS (
    INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
    SELECT v.id, v.environment_id, ${systemChannel('v.environment_id')}, v.event_type, v.payload, posthorn_time(v.id)
    FROM (SELECT posthorn_id('msg') AS id, e.* FROM (${events}) e) v
    RETURNING id, environment_id, channel_id, event_type
  ), event_delivery AS (
    INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, due_at, created_at,
                            max_retries, initial_delay, max_delay, backoff_multiplier)
    SELECT posthorn_id('dlv'), m.environment_id, m.channel_id, m.id, s.id, m.event_type, now(), now(),
           s.max_retries, s.initial_delay, s.max_delay, s.backoff_multiplier
    FROM event m JOIN subscriptions s ON s.channel_id = m.channel_id AND s.deleted_at IS NULL AND ${WANTED}
  )`;
