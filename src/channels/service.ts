import type { DatabaseTransaction } from '../db/client.ts';
import type { Deliveries } from '../deliveries/service.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Caller } from '../http/context.ts';
import { ApiError, notFound } from '../shared/api-error.ts';
import { isId } from '../shared/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../shared/page.ts';
import type { Channel, CreateChannel, ListChannels, UpdateChannel } from './schema.ts';
import {
  findChannel,
  findChannels,
  insertChannel,
  isSystemChannel,
  lockChannel,
  markChannelDeleted,
  updateChannel,
} from './store.ts';

/** A channel with a hundred thousand unfinished deliveries is deleted in one transaction; Prisma's default is 5 s. */
const DELETE_TIMEOUT_MS = 60_000;

export type Channels = {
  create(caller: Caller, body: CreateChannel): Promise<Channel>;
  list(caller: Caller, query: ListChannels): Promise<Page<Channel>>;
  get(caller: Caller, id: string): Promise<Channel>;
  update(caller: Caller, id: string, body: UpdateChannel): Promise<Channel>;
  /** Soft: history stays readable. Its subscriptions go with it, their unfinished deliveries end (DESIGN §4 "delete"). */
  delete(caller: Caller, id: string): Promise<void>;
};

export function createChannels(
  { db, newId, clock }: Pick<Dependencies, 'db' | 'newId' | 'clock'>,
  { deliveries }: { deliveries: Pick<Deliveries, 'endOfSubscriptions'> },
): Channels {
  /** An id that cannot be one never reaches the database, whatever characters it holds. */
  const found = async (id: string, look: () => Promise<Channel | undefined>): Promise<Channel> => {
    const channel = isId('channel', id) ? await look() : undefined;
    if (channel === undefined) throw notFound('channel');
    return channel;
  };

  /** For a change: the channel, kept from changing until the transaction ends. CONFLICT for the system channel. */
  const lock = async (transaction: DatabaseTransaction, environmentId: string, id: string): Promise<Channel> => {
    const channel = await found(id, () => lockChannel(transaction, environmentId, id));
    if (await isSystemChannel(transaction, id)) {
      throw new ApiError('CONFLICT', 'The system channel cannot be changed or deleted');
    }
    return channel;
  };

  return {
    create: (caller, body) =>
      insertChannel(db, { ...body, id: newId('channel'), environmentId: caller.environmentId, now: clock() }),

    async list({ environmentId }, { status, ...query }) {
      const filter = status === undefined ? {} : { status };
      const scope: ListScope = { list: 'channels', environmentId, filters: filter };
      const page = pageRequest(scope, query);
      return toPage(scope, page.limit, await findChannels(db, environmentId, page, filter), (channel) => channel);
    },

    get: ({ environmentId }, id) => found(id, () => findChannel(db, environmentId, id)),

    update: ({ environmentId }, id, body) =>
      db.$transaction(async (transaction) => {
        const channel = await lock(transaction, environmentId, id);
        const hasMoreThanStatus = Object.keys(body).some((field) => field !== 'status');
        if (channel.status === 'archived' && hasMoreThanStatus) {
          throw new ApiError('CONFLICT', 'The channel is archived: only its status can change');
        }
        return updateChannel(transaction, id, body, clock());
      }),

    delete: ({ environmentId }, id) =>
      db.$transaction(
        async (transaction) => {
          await lock(transaction, environmentId, id);
          const subscriptionIds = await markChannelDeleted(transaction, id, clock());
          await deliveries.endOfSubscriptions(transaction, subscriptionIds);
        },
        { timeout: DELETE_TIMEOUT_MS },
      ),
  };
}
