import type { DatabaseTransaction } from '../db/client.ts';
import { wakeWorkers } from '../db/due.ts';
import type { Dependencies } from '../dependencies.ts';
import type { EnvironmentCaller } from '../identity/caller.ts';
import { ApiError, invalidField, notFound } from '../kernel/api-error.ts';
import { isId } from '../kernel/ids.ts';
import { firstTimeFrom, type Instant, millisecondsOf } from '../kernel/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../kernel/page.ts';
import { type ListMessageReplays, type MessageReplay, type MessageReplayRequest, REPLAY_RATE } from './schema.ts';
import * as store from './message-store.ts';

// A publish that did not see the new subscription has committed by then; what both see is delivered once.
const OVERLAP_MS = 5_000;

export type MessageReplays = ReturnType<typeof createMessageReplays>;

/** Replaying the past: stored messages to one subscription, at a bounded rate, as a Temporal workflow. */
export function createMessageReplays({ db, newId, clock }: Pick<Dependencies, 'db' | 'newId' | 'clock'>) {
  const get = async (caller: EnvironmentCaller, replayId: string): Promise<MessageReplay> => {
    const replay = isId('messageReplay', replayId)
      ? await store.findMessageReplay(db, caller.environmentId, replayId)
      : undefined;
    if (replay === undefined) throw notFound('replay');
    return replay;
  };

  return {
    get,

    /** Newest first; of deleted subscriptions too. A subscriptionId that names nothing gives an empty list. */
    async list({ environmentId }: EnvironmentCaller, query: ListMessageReplays): Promise<Page<MessageReplay>> {
      const { subscriptionId, status, limit } = query;
      const scope: ListScope = { list: 'replays', environmentId, filters: { subscriptionId, status } };
      const filter = { environmentId, subscriptionId, status };
      const found = await store.listMessageReplays(db, filter, pageRequest(scope, query));
      return toPage(scope, limit, found, (replay) => replay);
    },

    /** Starts a replay. NOT_FOUND for a missing subscription; INVALID_REQUEST for a beginning in the future. */
    async start(
      { environmentId, principal }: EnvironmentCaller,
      subscription: { id: string },
      { since, until, ...request }: MessageReplayRequest,
    ): Promise<MessageReplay> {
      const now = clock();
      const end = until === undefined ? now : firstTimeFrom(until);
      const replay = await store.insertMessageReplay(db, {
        ...request,
        id: newId('messageReplay'),
        environmentId,
        subscriptionId: subscription.id,
        since: beginning('since', since, now),
        until: end < now ? end : now,
        requestedBy: principal.id,
      });
      await wakeWorkers(db);
      return replay;
    },

    /** A new subscription gets what was published from `startFrom` on. Committed with it. INVALID_REQUEST for the future. */
    async startWithin(
      transaction: DatabaseTransaction,
      { environmentId, principal }: EnvironmentCaller,
      { subscriptionId, startFrom }: { subscriptionId: string; startFrom: Instant },
    ): Promise<MessageReplay> {
      const now = clock();
      const replay = await store.insertMessageReplay(transaction, {
        id: newId('messageReplay'),
        environmentId,
        subscriptionId,
        since: beginning('startFrom', startFrom, now),
        until: new Date(now.getTime() + OVERLAP_MS),
        eventTypes: [],
        onlyMissing: true,
        ratePerSecond: REPLAY_RATE.max,
        requestedBy: principal.id,
      });
      await wakeWorkers(transaction);
      return replay;
    },

    /** Stops a replay; what it has made due stays due. CONFLICT when it has ended. */
    async cancel(caller: EnvironmentCaller, replayId: string): Promise<MessageReplay> {
      const { status } = await get(caller, replayId);
      const isCancelled = await store.cancelMessageReplay(db, caller.environmentId, replayId, clock());
      if (!isCancelled && status !== 'cancelled') throw new ApiError('CONFLICT', `The replay is ${status}`);
      return get(caller, replayId);
    },
  };
}

/** Where a replay begins, to the millisecond. The clock has no more either, so that what is within its millisecond has come. */
function beginning(field: string, from: Instant, now: Date): Date {
  if (millisecondsOf(from) > now.getTime()) throw invalidField(field, 'must not be in the future');
  return firstTimeFrom(from);
}
