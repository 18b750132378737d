import { REPLAY_STATUSES } from '../../../src/kernel/words/statuses.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { endAsDeadLetter, insertAttempt, make } from './seed.ts';
import type { Item } from './list-filters.ts';

/** Deliveries of every status, and a dead letter of some message for every reason, kind and status. */
export async function spreadDeliveries(
  posthorn: TestPosthorn,
  deliveries: readonly { id: string; messageId: string }[],
): Promise<void> {
  const { db, newId } = posthorn.deps;
  const workflowIds = [newId('workflow'), newId('workflow')];
  const replayIds = [newId('bulkReplay'), newId('messageReplay'), newId('bulkRetry')];
  for (const [index, { id, messageId }] of deliveries.entries()) {
    const answer = {
      responseStatus: index % 2 === 0 ? 410 : 503,
      responseBody: '',
      responseLatencyMs: 1_500 + (index % 3),
    };
    if (index % 5 === 1)
      await db.delivery.update({
        where: { id },
        data: { status: 'delivered', dueAt: null, ...answer, responseStatus: 200 },
      });
    if (index % 5 === 2) {
      await db.delivery.update({ where: { id }, data: { status: 'retrying', attempts: 1 } });
      await insertAttempt(posthorn, id, 1, { errorClass: 'connect' });
    }
    await db.delivery.update({ where: { id }, data: { replayId: replayIds[index % 3] ?? '' } });
    // An internal error holds some of those that wait.
    if (index % 10 === 0)
      await db.delivery.update({ where: { id }, data: { heldReason: 'internal', heldSince: new Date() } });
    // The last one belongs to the other channel.
    if (index % 5 > 2 || index === deliveries.length - 1) {
      const { eventType } = await db.message.findUniqueOrThrow({ where: { id: messageId } });
      await endAsDeadLetter(posthorn, id, {
        status: ['open', 'replayed', 'discarded'][index % 3],
        ...(index % 2 === 0 && { kind: 'run', workflowId: workflowIds[(index / 2) % 2], runId: newId('run') }),
        reason: ['exhausted', 'gone', 'cancelled', 'circuit'][index % 4],
        eventType,
        errorClass: index % 5 === 3 ? 'connect' : 'status',
        ...(index % 5 !== 3 && { errorStatus: index % 2 === 0 ? 410 : 503 }),
        failedAt: new Date(1_800_000_000_000 + Math.floor(index / 2)),
      });
      if (index % 5 === 3)
        await db.attempt.updateMany({
          where: { deliveryId: id },
          data: { errorClass: 'connect', responseStatus: null },
        });
      const data = index % 5 === 3 ? { responseStatus: null, responseLatencyMs: null } : answer;
      await db.delivery.update({ where: { id }, data });
    }
  }
}

/** Replays of each kind, of every status. */
export async function seedReplays(posthorn: TestPosthorn, key: string, subscriptions: readonly Item[]): Promise<void> {
  const { db } = posthorn.deps;
  const since = new Date(Date.now() - 60_000).toISOString();
  for (const [index, status] of [...REPLAY_STATUSES, 'completed'].entries()) {
    const subscriptionId = subscriptions[index % 2]?.id ?? '';
    const finishedAt = status === 'pending' || status === 'running' ? null : new Date();
    const bulk = await make(posthorn, key, '/v1/dlq/replay', { subscriptionId });
    await db.bulkReplay.update({ where: { id: bulk.id }, data: { status, finishedAt } });
    const retry = await make(posthorn, key, '/v1/deliveries/retry', { subscriptionId });
    await db.bulkRetry.update({ where: { id: retry.id }, data: { status, finishedAt } });
    const replay = await make(posthorn, key, `/v1/subscriptions/${subscriptionId}/replay`, { since });
    await db.messageReplay.update({ where: { id: replay.id }, data: { status, finishedAt } });
  }
}
