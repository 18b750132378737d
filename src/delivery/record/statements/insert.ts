import { WANTED } from '../../../platform/db/sql/fragments.ts';

/**
 * SQL, an INSERT: a delivery for each pair of a message `m` and a subscription `s` of `from`, due now, under the present policy of the
 * subscription. `holder`: an SQL expression for the incarnation that has it at once; without one it waits for a claim.
 * `replayId`: the same for the replay that makes it.
 */
export const insertDeliveries = ({
  from,
  holder = 'NULL',
  replayId = 'NULL',
}: {
  from: string;
  holder?: string;
  replayId?: string;
}): string => `
    INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, due_at, created_at, holder, replay_id,
                            max_retries, initial_delay, max_delay, backoff_multiplier)
    SELECT posthorn_id('dlv'), m.environment_id, m.channel_id, m.id, s.id, m.event_type, now(), now(), ${holder}, ${replayId},
           s.max_retries, s.initial_delay, s.max_delay, s.backoff_multiplier
    FROM ${from}`;

/**
 * SQL, an INSERT: the fan-out of `messages`, a table expression with the alias `m`, to the subscriptions of their channels. `wanted`
 * narrows the event types of a subscription further.
 */
export const fanOut = ({
  messages,
  wanted = WANTED,
  holder,
}: {
  messages: string;
  wanted?: string;
  holder?: string;
}): string =>
  insertDeliveries({
    from: `${messages}
    JOIN subscriptions s ON s.channel_id = m.channel_id AND s.deleted_at IS NULL AND ${wanted}`,
    ...(holder !== undefined && { holder }),
  });
