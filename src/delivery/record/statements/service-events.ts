import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { systemChannel } from '../../../platform/db/sql/fragments.ts';
import type { ServiceEvents, ServiceEventType } from '../../../kernel/words/event-types.ts';
import { fanOut } from './insert.ts';

/** SQL: a time in the form of the other JSON, ISO 8601 UTC with milliseconds. */
export const isoTime = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL: one SELECT of service events for `publishEvents`, one for each row of `from`, which has environment_id, and channel_id (null: of no
 * channel). `payload` gives an SQL expression for every field of the event's payload, `chainDepth` one for the number of runs that stand
 * before a run that the event begins. By default, what happens to deliveries of the system channel itself causes no event.
 */
export function serviceEvent<T extends ServiceEventType>(
  eventType: T,
  {
    from,
    payload,
    chainDepth = 'NULL',
    condition = `e.channel_id IS DISTINCT FROM ${systemChannel('e.environment_id')}`,
  }: { from: string; payload: Record<keyof ServiceEvents[T], string>; chainDepth?: string; condition?: string },
): string {
  const fields = Object.entries<string>(payload).map(([field, expression]) => `'${field}', ${expression}`);
  return `SELECT e.environment_id, '${eventType}' AS event_type, json_build_object(${fields.join(', ')})::text AS payload,
      ${chainDepth}::smallint AS chain_depth
    FROM ${from} e WHERE ${condition}`;
}

/** SQL: the depth of a chain of runs behind a service event that was caused at this depth. */
const behind = (depth: string): string => `coalesce(${depth}, 0) + ${WORKFLOW_BOUNDS.serviceEventDepth}`;

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
    chainDepth: behind('(SELECT m.chain_depth FROM messages m WHERE m.id = e.message_id)'),
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
    chainDepth: behind('(SELECT r.chain_depth FROM runs r WHERE r.id = e.run_id)'),
    // Runs that service events have begun count, too: the length of their chain ends it.
    condition: 'true',
  });

/**
 * SQL: CTEs that publish the rows of `events` (`serviceEvent`, joined by UNION ALL) on the system channels of their environments.
 * They belong to the statement, and so to the transaction, that causes the events. Dispatchers find the deliveries at their next poll, and
 * workers the notes: filters of triggers cannot be asked here. Without any workflow nobody needs notes.
 */
export const publishEvents = (events: string): string => `
  event AS (
    INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at, chain_depth)
    SELECT v.id, v.environment_id, ${systemChannel('v.environment_id')}, v.event_type, v.payload, posthorn_time(v.id), v.chain_depth
    FROM (SELECT posthorn_id('msg') AS id, e.* FROM (${events}) e) v
    RETURNING id, environment_id, channel_id, event_type
  ), event_note AS (
    INSERT INTO awaited_messages (message_id, environment_id) SELECT e.id, e.environment_id FROM event e
    WHERE EXISTS (SELECT FROM workflows)
  ), event_delivery AS (${fanOut({ messages: 'event m' })}
  )`;
