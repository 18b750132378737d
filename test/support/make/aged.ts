import { createNewId } from '../../../src/platform/new-id.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

const DAY_MS = 86_400_000;

/** State of a message from some days ago. */
export type Aged = {
  channelId: string;
  /** One delivery for each; a message without any matched no subscription. */
  subscriptionIds: readonly string[];
  ageDays: number;
  /** `waiting`: held back, for example by a pause. `open`, `discarded`: failed, with such a dead letter. */
  state?: 'delivered' | 'waiting' | 'open' | 'discarded';
  payload?: string;
};

/** Inserts a message as it would be after that time, with deliveries, attempts and dead letters. Returns its id. */
export async function insertAged({ deps: { db } }: TestPosthorn, aged: Aged): Promise<string> {
  const at = new Date(Date.now() - aged.ageDays * DAY_MS);
  const newId = createNewId(() => at.getTime());
  const { channelId, state = 'delivered' } = aged;
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const messageId = newId('message');
  const message = { id: messageId, environmentId, channelId, eventType: 'order.created', publishedAt: at };
  await db.message.create({ data: { ...message, payload: aged.payload ?? '{"n":1}' } });
  const policy = { maxRetries: 3, initialDelay: 1_000, maxDelay: 10_000, backoffMultiplier: 2 };
  for (const subscriptionId of aged.subscriptionIds) {
    const deliveryId = newId('delivery');
    const of = { environmentId, channelId, messageId, subscriptionId };
    const isFailed = state === 'open' || state === 'discarded';
    await db.delivery.create({
      data: {
        ...of,
        ...policy,
        id: deliveryId,
        eventType: 'order.created',
        status: state === 'waiting' ? 'pending' : isFailed ? 'failed' : 'delivered',
        attempts: state === 'waiting' ? 0 : 1,
        dueAt: state === 'waiting' ? at : null,
        failureReason: isFailed ? 'exhausted' : null,
        createdAt: at,
      },
    });
    if (state === 'waiting') continue;
    const outcome = isFailed ? 'failed' : 'delivered';
    const attempt = { id: newId('attempt'), deliveryId, number: 1, startedAt: at, durationMs: 3, outcome };
    await db.attempt.create({ data: { ...attempt, responseBody: 'ok', carrier: `delivery/${deliveryId}/1` } });
    if (!isFailed) continue;
    const letter = { id: newId('deadLetter'), deliveryId, round: 1, status: state, reason: 'exhausted', attempts: 1 };
    await db.deadLetter.create({ data: { ...of, ...letter, eventType: 'order.created', failedAt: at } });
  }
  return messageId;
}

/** Returns the rows of the four history tables, over the whole database. */
export async function historyOf({ deps: { db } }: TestPosthorn): Promise<Record<string, number>> {
  return {
    messages: await db.message.count(),
    deliveries: await db.delivery.count(),
    attempts: await db.attempt.count(),
    deadLetters: await db.deadLetter.count(),
  };
}

/** Inserts many delivered messages from some days ago, with one delivery and attempt for each subscription, in SQL. */
export async function insertManyAged(
  { pool }: Pick<TestPosthorn['deps'], 'pool'>,
  { channelId, subscriptionIds, ageDays, count }: Omit<Aged, 'state' | 'payload'> & { count: number },
): Promise<void> {
  // posthorn_id creates ids of the present, so the 10 characters of the time are taken from an id of that day.
  const at = new Date(Date.now() - ageDays * DAY_MS);
  const time = createNewId(() => at.getTime())('message').slice(4, 14);
  await pool.query(
    `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT 'msg_' || $2 || substr(posthorn_id('msg'), 15), c.environment_id, c.id, 'order.created', '{"n":1}', $3
       FROM channels c, generate_series(1, $4::int) WHERE c.id = $1
       RETURNING id, environment_id, channel_id
     ), delivery AS (
       INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, status, attempts,
         max_retries, initial_delay, max_delay, backoff_multiplier, created_at)
       SELECT 'dlv_' || $2 || substr(posthorn_id('dlv'), 15), m.environment_id, m.channel_id, m.id, s, 'delivered', 1,
         3, 1000, 10000, 2, $3
       FROM message m, unnest($5::text[]) AS s
       RETURNING id
     )
     INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, carrier)
     SELECT posthorn_id('att'), id, 1, $3, 3, 'delivered', 'drain/inc_1/1' FROM delivery`,
    [channelId, time, at, count, subscriptionIds],
  );
}
