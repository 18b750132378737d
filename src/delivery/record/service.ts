import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { Attempt, Delivery, ListDeliveries } from './schema.ts';
import { replayMessage, retryDelivery } from './statements/due-again.ts';
import { endOfSubscriptions, endRestOfSubscriptions } from './statements/end.ts';
import { releaseHeldOf } from './statements/hold.ts';
import * as store from './store.ts';

export type Deliveries = ReturnType<typeof createDeliveries>;

/** A message that is to go to one subscription. */
export type ReplayedMessage = { id: string; channelId: string; deliveryStatus: string };

const conflictOf = (field: string, reason: string): ApiError =>
  new ApiError('CONFLICT', `${field}: ${reason}`, { details: { field, reason } });

/** Looking at deliveries and making one due again (spec §4 Deliveries). */
export function createDeliveries(
  { tenants, clock }: Pick<Dependencies, 'tenants' | 'clock'>,
  { audit }: { audit: { record: RecordAudit } },
) {
  const find = async (
    reader: Pick<DatabaseReader, 'delivery' | 'subscription' | '$queryRaw'>,
    { environmentId }: EnvironmentCaller,
    deliveryId: string,
  ): Promise<Delivery> => {
    const delivery = await store.findDelivery(reader, environmentId, deliveryId, clock());
    if (delivery === undefined) throw notFound('delivery');
    return delivery;
  };
  const get = (caller: EnvironmentCaller, deliveryId: string): Promise<Delivery> =>
    tenants.read(caller, (reader) => find(reader, caller, deliveryId));

  return {
    get,

    /**
     * Deliveries of the environment, newest first. A filter that names nothing gives an empty list. A page of a filter that little
     * matches may be short, or empty, and go on.
     */
    async list(caller: EnvironmentCaller, query: ListDeliveries): Promise<Page<Delivery>> {
      const { environmentId } = caller;
      const { cursor: _, limit, since, until, responseBodies, ...filter } = query;
      const hasBodies = responseBodies !== 'false';
      const minLatencyMs = filter.minLatencyMs?.toString();
      const filters = {
        ...filter,
        status: filter.status?.join(','),
        responseBodies,
        minLatencyMs,
        ...windowText({ since, until }),
      };
      const scope: ListScope = { list: 'deliveries', environmentId, filters };
      const ids = idsWithin('delivery', { since, until });
      const page = pageRequest(scope, query);
      const { deliveries, lookedTo } = await tenants.list(caller, (transaction) =>
        store.listDeliveries(transaction, { environmentId, ...filter, ids }, { ...page, hasBodies }, clock()),
      );
      return toPage(scope, limit, deliveries, (delivery) => delivery, lookedTo);
    },

    /** The tries of one delivery, newest first. */
    async listAttempts(
      caller: EnvironmentCaller,
      deliveryId: string,
      query: { cursor?: string | undefined; limit: number },
    ): Promise<Page<Attempt>> {
      const scope: ListScope = {
        list: `attempts of ${deliveryId}`,
        environmentId: caller.environmentId,
        filters: {},
      };
      const found = await tenants.within(caller, async (transaction) => {
        await find(transaction, caller, deliveryId);
        return store.listAttempts(transaction, deliveryId, pageRequest(scope, query));
      });
      return toPage(scope, query.limit, found, (attempt) => attempt);
    },

    /** One try of a delivery of the environment. */
    async getAttempt(caller: EnvironmentCaller, attemptId: string): Promise<Attempt> {
      const attempt = await tenants.within(caller, (transaction) =>
        store.findAttempt(transaction, caller.environmentId, attemptId),
      );
      if (attempt === undefined) throw notFound('attempt');
      return attempt;
    },

    /**
     * Makes a finished or retrying delivery due at once: next round, fresh policy, attempts go on counting.
     * CONFLICT when it is waiting for a try anyway (a fault of ours does not count as that), its message is erased or its subscription
     * is deleted.
     */
    async retry(caller: EnvironmentCaller, deliveryId: string): Promise<Delivery> {
      const { status, messageId } = await get(caller, deliveryId);
      const isDue = await tenants.onConnection(caller, async (connection) => {
        const isRetried = await retryDelivery(connection, { deliveryId, requestedBy: caller.principal.id });
        if (isRetried)
          await audit.record(connection, caller, { action: 'delivery.retried', target: { id: deliveryId } });
        return isRetried;
      });
      if (!isDue) {
        throw new ApiError(
          'CONFLICT',
          status === 'pending'
            ? 'The delivery is already waiting to be sent'
            : (await tenants.within(caller, (transaction) => store.isMessageErased(transaction, messageId)))
              ? 'The message of this delivery is erased'
              : 'The subscription of this delivery is deleted',
        );
      }
      return get(caller, deliveryId);
    },

    /**
     * Makes one message due for one subscription of its channel, whatever its event types and filter say: a delivery that was never made
     * is made, and a finished one goes into its next round. INVALID_REQUEST for a subscription of another channel, or of another test
     * message. CONFLICT for a message that is erased or not published, and for a delivery under way.
     */
    async replay(caller: EnvironmentCaller, message: ReplayedMessage, subscriptionId: string): Promise<Delivery> {
      const { id: messageId, channelId, deliveryStatus } = message;
      const missing = (): ApiError => invalidField('subscriptionId', "names no subscription of the message's channel");
      if (deliveryStatus === 'scheduled' || deliveryStatus === 'cancelled')
        throw conflictOf('messageId', 'names a message that is not published');
      if (!isId('subscription', subscriptionId)) throw missing();
      const deliveryId = await tenants.onConnection(caller, async (connection) => {
        const replay = { messageId, subscriptionId, requestedBy: caller.principal.id };
        const id = await replayMessage(connection, replay);
        if (id === undefined) return undefined;
        const after = { subscriptionId, deliveryId: id };
        await audit.record(connection, caller, { action: 'message.replayed', target: { id: messageId }, after });
        return id;
      });
      if (deliveryId !== undefined) return get(caller, deliveryId);
      const obstacle = await tenants.within(caller, (transaction) =>
        store.findObstacle(transaction, { messageId, channelId, subscriptionId }),
      );
      if (obstacle === 'no subscription') throw missing();
      if (obstacle === 'test of another')
        throw invalidField('subscriptionId', 'is not the subscription that this test message was sent to');
      if (obstacle === 'erased') throw conflictOf('messageId', 'names a message that is erased or removed');
      throw conflictOf('subscriptionId', underWay(obstacle?.underWay));
    },

    /** Ends what is unfinished of deleted subscriptions, inside the transaction that deletes them: the first of a long backlog. */
    endOfSubscriptions: (transaction: DatabaseTransaction, subscriptionIds: string[]): Promise<void> =>
      endOfSubscriptions(transaction, subscriptionIds),

    /** Makes deliveries due that a limit or a fault of ours has held, in the transaction that resumes their subscription. */
    releaseHeldOf: (transaction: DatabaseTransaction, subscriptionId: string): Promise<void> =>
      releaseHeldOf(transaction, subscriptionId),

    /** Ends the rest, once the deletion is committed. A failure leaves it to the reconciler. */
    endRestOfSubscriptions: (caller: EnvironmentCaller, subscriptionIds: readonly string[]): Promise<void> =>
      endRestOfSubscriptions(
        (query) =>
          tenants.onConnection(caller, async (connection) => {
            const { rows } = await connection.query<{ last: string | null }>(query);
            return rows[0];
          }),
        subscriptionIds,
      ).catch(() => undefined),
  };
}

const underWay = (deliveryId: string | undefined): string =>
  deliveryId === undefined
    ? 'was just changed; ask again'
    : `has the message under way already, by ${deliveryId}; retry that delivery to have it at once`;
