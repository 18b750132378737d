import type { DatabaseTransaction } from '../db/client.ts';
import { notifyDue } from '../db/due.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Caller } from '../http/context.ts';
import { ApiError, invalidField, notFound } from '../shared/api-error.ts';
import { isId } from '../shared/ids.ts';
import { type MessageReplay, type MessageReplayRequest, REPLAY_RATE } from './schema.ts';
import * as store from './store.ts';

// A publish that did not see the new subscription has committed by then; what both see is delivered once.
const OVERLAP_MS = 5_000;

export type MessageReplays = ReturnType<typeof createMessageReplays>;

/** Replaying the past: stored messages to one subscription, at a bounded rate, as a Temporal workflow. */
export function createMessageReplays({ db, newId, clock }: Pick<Dependencies, 'db' | 'newId' | 'clock'>) {
  const get = async (caller: Caller, replayId: string): Promise<MessageReplay> => {
    const replay = isId('messageReplay', replayId)
      ? await store.findMessageReplay(db, caller.environmentId, replayId)
      : undefined;
    if (replay === undefined) throw notFound('replay');
    return replay;
  };

  return {
    get,

    /** Starts a replay. NOT_FOUND for a missing subscription; INVALID_REQUEST for bounds in the future or in the wrong order. */
    async start(
      { environmentId, credentialId }: Caller,
      subscription: { id: string },
      { until, ...request }: MessageReplayRequest,
    ): Promise<MessageReplay> {
      const now = clock();
      if (request.since > now) throw invalidField('since', 'must not be in the future');
      const end = until === undefined || until > now ? now : until;
      if (request.since >= end) throw invalidField('until', 'must be later than since');
      const replay = await store.insertMessageReplay(db, {
        ...request,
        id: newId('messageReplay'),
        environmentId,
        subscriptionId: subscription.id,
        until: end,
        requestedBy: credentialId,
      });
      await notifyDue(db);
      return replay;
    },

    /** A new subscription gets what was published from `startFrom` on. Committed with it. INVALID_REQUEST for the future. */
    async startWithin(
      transaction: DatabaseTransaction,
      { environmentId, credentialId }: Caller,
      { subscriptionId, startFrom }: { subscriptionId: string; startFrom: Date },
    ): Promise<MessageReplay> {
      const now = clock();
      if (startFrom > now) throw invalidField('startFrom', 'must not be in the future');
      const replay = await store.insertMessageReplay(transaction, {
        id: newId('messageReplay'),
        environmentId,
        subscriptionId,
        since: startFrom,
        until: new Date(now.getTime() + OVERLAP_MS),
        eventTypes: [],
        onlyMissing: true,
        ratePerSecond: REPLAY_RATE.max,
        requestedBy: credentialId,
      });
      await notifyDue(transaction);
      return replay;
    },

    /** Stops a replay; what it has made due stays due. CONFLICT when it has ended. */
    async cancel(caller: Caller, replayId: string): Promise<MessageReplay> {
      const { status } = await get(caller, replayId);
      const isCancelled = await store.cancelMessageReplay(db, caller.environmentId, replayId, clock());
      if (!isCancelled && status !== 'cancelled') throw new ApiError('CONFLICT', `The replay is ${status}`);
      return get(caller, replayId);
    },
  };
}
