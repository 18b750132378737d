import type { Dependencies } from '../dependencies.ts';
import type { EnvironmentCaller } from '../identity/caller.ts';
import { ApiError, notFound } from '../kernel/api-error.ts';
import { isId, isTimeGiven } from '../kernel/ids.ts';
import { idsWithin, windowText } from '../kernel/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../kernel/page.ts';
import type { CancelledMessage, ListScheduled, Message } from '../messages/schema.ts';
import * as store from './store.ts';
import { channelExists, findMessage } from '../messages/store.ts';

/** Messages before they are published: those that wait for their time, and those that were cancelled while they did. */
export function createScheduled({ pool, db, clock }: Pick<Dependencies, 'pool' | 'db' | 'clock'>) {
  // Only an id that was given its time can be among them, so that nothing is asked for others.
  const mayWait = (messageId: string): boolean => isId('message', messageId) && isTimeGiven(messageId);

  /** First among those that wait: one that is published in between is found where it has gone to. */
  const findAny = async (environmentId: string, messageId: string): Promise<Message | undefined> =>
    (mayWait(messageId) ? await store.findScheduled(db, environmentId, messageId) : undefined) ??
    (await findMessage(db, environmentId, messageId));

  return {
    findAny,

    /** Soonest first; of a deleted channel too, until retention removes them. NOT_FOUND for a missing channel. */
    async list({ environmentId }: EnvironmentCaller, channelId: string, query: ListScheduled): Promise<Page<Message>> {
      if (!(await channelExists(db, environmentId, channelId))) throw notFound('channel');
      const { limit, status, eventType, since, until } = query;
      const filters = { status, eventType, ...windowText({ since, until }) };
      const scope: ListScope = { list: `scheduled of ${channelId}`, environmentId, filters };
      const filter = { environmentId, channelId, status, eventType, ids: idsWithin('message', { since, until }) };
      const found = await store.listScheduled(db, filter, pageRequest(scope, query));
      return toPage(scope, limit, found, (message) => message);
    },

    /** Cancels what waits; again it answers the same. CONFLICT once it is published, NOT_FOUND for a missing message. */
    async cancel({ environmentId }: EnvironmentCaller, messageId: string): Promise<CancelledMessage> {
      if (mayWait(messageId)) await store.cancelScheduled(db, environmentId, messageId, clock());
      const message = await findAny(environmentId, messageId);
      if (message === undefined) throw notFound('message');
      if (message.deliveryStatus !== 'cancelled') throw new ApiError('CONFLICT', 'The message is published');
      // Kept under an Idempotency-Key this answer would outlive an erasure: it has nothing of the content.
      const { payload: _, metadata: __, ...cancelled } = message;
      return { ...cancelled, deliveryStatus: 'cancelled' };
    },

    /** Erases what waits, which cancels it, or was cancelled. False for every other message. */
    erase: async (environmentId: string, messageId: string): Promise<boolean> =>
      mayWait(messageId) && store.eraseScheduled(pool, environmentId, messageId),
  };
}
