import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { DeliveryChanges } from '../delivery-changes.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Apps } from '../../identity/tenancy/apps/service.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { Schemas } from '../schemas/schemas.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import { changedParts } from '../../kernel/words/audit-actions.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, narrowByName, pageRequest, toPage } from '../../kernel/values/page.ts';
import { type Channel, channelChange, type CreateChannel, type ListChannels, type UpdateChannel } from './schema.ts';
import {
  findChannel,
  findChannels,
  findChannelsNamed,
  insertChannel,
  isSystemChannel,
  lockChannel,
  markChannelDeleted,
  releaseScheduled,
  updateChannel,
} from './store.ts';

/**
 * A hundred thousand scheduled messages are cancelled, or become due, together with their channel. Prisma's default is
 * 5 s.
 */
const CHANGE_TIMEOUT_MS = 60_000;

export type Channels = {
  create(caller: EnvironmentCaller, body: CreateChannel): Promise<Channel>;
  list(caller: EnvironmentCaller, query: ListChannels): Promise<Page<Channel>>;
  get(caller: EnvironmentCaller, id: string): Promise<Channel>;
  update(caller: EnvironmentCaller, id: string, body: UpdateChannel): Promise<Channel>;
  /**
   * Soft delete: history stays readable. Also deletes its subscriptions, ends their unfinished deliveries, and cancels
   * scheduled messages.
   */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
};

type Collaborators = {
  apps: Pick<Apps, 'share'>;
  deliveries: Pick<DeliveryChanges, 'endOfSubscriptions' | 'endRestOfSubscriptions'>;
  schemas: Pick<Schemas, 'refuseBad'>;
  audit: { record: RecordAudit };
};

export function createChannels(
  { tenants, newId, clock }: Pick<Dependencies, 'tenants' | 'newId' | 'clock'>,
  { apps, deliveries, schemas, audit }: Collaborators,
): Channels {
  /** An id of another form never reaches the database, whatever characters it contains. */
  const found = async (id: string, look: () => Promise<Channel | undefined>): Promise<Channel> => {
    const channel = isId('channel', id) ? await look() : undefined;
    if (channel === undefined) throw notFound('channel');
    return channel;
  };

  const get = (caller: EnvironmentCaller, id: string): Promise<Channel> =>
    found(id, () => tenants.read(caller, (reader) => findChannel(reader, caller.environmentId, id)));

  /** Returns the channel for a change, locked until the transaction ends. */
  const lock = (transaction: DatabaseTransaction, environmentId: string, id: string): Promise<Channel> =>
    found(id, () => lockChannel(transaction, environmentId, id));

  const refuseSystemChannel = async (transaction: DatabaseTransaction, id: string): Promise<void> => {
    if (await isSystemChannel(transaction, id))
      throw new ApiError('CONFLICT', 'The system channel cannot be changed or deleted');
  };

  return {
    async create(caller, body) {
      await schemas.refuseBad(caller.environmentId, body);
      const { appId, environmentId } = caller;
      return tenants.within(caller, async (transaction) => {
        const { settings, suspendedAt: appSuspendedAt } = await apps.share(transaction, appId);
        const { retentionDays = settings.retentionDays } = body;
        const ids = { id: newId('channel'), environmentId };
        const draft = { ...body, ...ids, retentionDays, appSuspendedAt, now: clock() };
        const channel = await insertChannel(transaction, draft);
        const after = { ...body, retentionDays };
        await audit.record(transaction, caller, { action: 'channel.created', target: { id: channel.id }, after });
        return channel;
      });
    },

    async list(caller, { definitions, limit, cursor, name, ...filter }) {
      const { environmentId } = caller;
      const filters = { ...filter, ids: filter.ids?.join(','), name, definitions };
      const scope: ListScope = { list: 'channels', environmentId, filters };
      const page = pageRequest(scope, { limit, cursor });
      const parts = { hasSchemas: definitions !== 'false' };
      const { wanted, lookedTo } = await narrowByName(filter, name, (named) =>
        tenants.list(caller, (transaction) => findChannelsNamed(transaction, environmentId, page, named)),
      );
      const rows = await tenants.read(caller, (reader) => findChannels(reader, environmentId, page, wanted, parts));
      return toPage(scope, page.limit, rows, (channel) => channel, lookedTo);
    },

    get,

    async update(caller, id, body) {
      const { environmentId } = caller;
      // Another environment's channel is NOT_FOUND whatever the body contains. Stored schemas are not compiled again.
      const stored = await get(caller, id);
      await schemas.refuseBad(environmentId, channelChange.of(stored, body));
      return tenants.within(
        caller,
        async (transaction) => {
          const channel = await lock(transaction, environmentId, id);
          const change = channelChange.of(channel, body);
          const changed = Object.keys(change);
          if (changed.length === 0) return channel;
          await refuseSystemChannel(transaction, id);
          if (channel.status === 'archived' && changed.some((field) => field !== 'status')) {
            throw new ApiError('CONFLICT', 'The channel is archived; only its status can be changed');
          }
          if (change.status === 'active') await releaseScheduled(transaction, id);
          const updated = await updateChannel(transaction, id, change, clock());
          const parts = changedParts(channel, updated, changed);
          await audit.record(transaction, caller, { action: 'channel.updated', target: { id }, ...parts });
          return updated;
        },
        { timeout: CHANGE_TIMEOUT_MS },
      );
    },

    async delete(caller, id) {
      const subscriptionIds = await tenants.within(
        caller,
        async (transaction) => {
          await lock(transaction, caller.environmentId, id);
          await refuseSystemChannel(transaction, id);
          const deleted = await markChannelDeleted(transaction, id, clock());
          await deliveries.endOfSubscriptions(transaction, deleted);
          await audit.record(transaction, caller, { action: 'channel.deleted', target: { id } });
          return deleted;
        },
        { timeout: CHANGE_TIMEOUT_MS },
      );
      await deliveries.endRestOfSubscriptions(caller, subscriptionIds);
    },
  };
}
