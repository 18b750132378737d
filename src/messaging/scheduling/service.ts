import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { Message } from '../messages/schema.ts';
import { channelExists, findMessage, mayWait } from '../messages/store.ts';
import type { CancelledMessage, ListScheduled } from './schema.ts';
import { cancelScheduled, listScheduled } from './store.ts';

export type Scheduling = ReturnType<typeof createScheduling>;

/** Messages before they are published: those that wait for their time, and those that were cancelled. */
export function createScheduling(
  { tenants, clock }: Pick<Dependencies, 'tenants' | 'clock'>,
  { audit }: { audit: { record: RecordAudit } },
) {
  return {
    /**
     * Soonest first, including those of a deleted channel until retention removes them. Throws NOT_FOUND if the channel
     * does not exist.
     */
    async list(caller: EnvironmentCaller, channelId: string, query: ListScheduled): Promise<Page<Message>> {
      const { environmentId } = caller;
      const { limit, status, eventType, since, until, payloads } = query;
      const hasPayloads = payloads !== 'false';
      const filters = { status, eventType, payloads, ...windowText({ since, until }) };
      const scope: ListScope = { list: `scheduled of ${channelId}`, environmentId, filters };
      const filter = { environmentId, channelId, status, eventType, ids: idsWithin('message', { since, until }) };
      const list = async (transaction: DatabaseTransaction) => {
        if (!(await channelExists(transaction, environmentId, channelId))) throw notFound('channel');
        return listScheduled(transaction, filter, { ...pageRequest(scope, query), hasPayloads });
      };
      const { messages, lookedTo } = await tenants.list(caller, list);
      return toPage(scope, limit, messages, (message) => message, lookedTo);
    },

    /**
     * Cancels a waiting message; repeating it returns the same response. Throws CONFLICT once it is published, and
     * NOT_FOUND if it does not exist.
     */
    async cancel(caller: EnvironmentCaller, messageId: string): Promise<CancelledMessage> {
      const { environmentId } = caller;
      const message = await tenants.within(caller, async (transaction) => {
        const isCancelled =
          mayWait(messageId) && (await cancelScheduled(transaction, environmentId, messageId, clock()));
        const told = { action: 'message.cancelled', target: { id: messageId } } as const;
        if (isCancelled) await audit.record(transaction, caller, told);
        return findMessage(transaction, environmentId, messageId);
      });
      if (message === undefined) throw notFound('message');
      if (message.deliveryStatus !== 'cancelled')
        throw new ApiError('CONFLICT', 'The message has already been published');
      // The response may be stored for an Idempotency-Key and outlive an erasure, so it contains nothing of the
      // content.
      const { payload: _, metadata: __, traceId: ___, ...cancelled } = message;
      return { ...cancelled, deliveryStatus: 'cancelled' };
    },
  };
}
