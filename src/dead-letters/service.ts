import { notifyDue } from '../db/due.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Deliveries } from '../deliveries/service.ts';
import type { Delivery } from '../deliveries/schema.ts';
import type { Caller } from '../http/context.ts';
import { ApiError, invalidField, notFound } from '../shared/api-error.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../shared/page.ts';
import * as bulk from './bulk-replay-store.ts';
import type { BulkReplay, BulkReplayPreview, BulkReplayRequest, DeadLetter, ListDeadLetters } from './schema.ts';
import * as store from './store.ts';

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** Looking at, replaying and discarding what never succeeded (spec §1; DESIGN §4 "replay, retry", §5). */
export function createDeadLetters(
  { db, pool, clock, newId }: Pick<Dependencies, 'db' | 'pool' | 'clock' | 'newId'>,
  { deliveries }: { deliveries: Deliveries },
) {
  const get = async (caller: Caller, deadLetterId: string): Promise<DeadLetter> => {
    const letter = await store.findDeadLetter(db, caller.environmentId, deadLetterId);
    if (letter === undefined) throw notFound('dead letter');
    return letter;
  };

  const getBulkReplay = async (caller: Caller, bulkReplayId: string): Promise<BulkReplay> => {
    const replay = await bulk.findBulkReplay(db, caller.environmentId, bulkReplayId);
    if (replay === undefined) throw notFound('bulk replay');
    return replay;
  };

  const requireOrder = (since: Date | undefined, until: Date | undefined): void => {
    if (since && until && since >= until) throw invalidField('until', 'must be later than since');
  };

  return {
    get,
    getBulkReplay,

    async list(caller: Caller, query: ListDeadLetters): Promise<Page<DeadLetter>> {
      const { channelId, subscriptionId, eventType, status, since, until } = query;
      requireOrder(since, until);
      const scope: ListScope = {
        list: 'dead letters',
        environmentId: caller.environmentId,
        filters: {
          channelId,
          subscriptionId,
          eventType,
          status,
          since: since?.toISOString(),
          until: until?.toISOString(),
        },
      };
      const filter = {
        environmentId: caller.environmentId,
        channelId,
        subscriptionId,
        eventType,
        status,
        since,
        until,
      };
      const found = await store.listDeadLetters(db, filter, pageRequest(scope, query));
      return toPage(scope, query.limit, found, (letter) => letter);
    },

    /** Makes the delivery due again: next round, fresh policy. CONFLICT unless it is open and its subscription is there. */
    async replay(caller: Caller, deadLetterId: string): Promise<Delivery> {
      const letter = await get(caller, deadLetterId);
      const replayed = await store.replayDeadLetters(pool, {
        ids: [deadLetterId],
        environmentId: caller.environmentId,
        requestedBy: caller.credentialId,
      });
      if (replayed === 0) {
        throw new ApiError(
          'CONFLICT',
          letter.status === 'open'
            ? 'The subscription of this dead letter is deleted'
            : `The dead letter is ${letter.status}; only an open one can be replayed`,
        );
      }
      await notifyDue(db);
      return deliveries.get(caller, letter.deliveryId ?? '');
    },

    /** Marks a dead letter as discarded; discarding it again changes nothing. CONFLICT for a replayed one. */
    async discard(caller: Caller, deadLetterId: string): Promise<void> {
      const letter = await get(caller, deadLetterId);
      const isDiscarded = await store.discardDeadLetter(db, caller.environmentId, deadLetterId);
      if (!isDiscarded && letter.status !== 'discarded') {
        throw new ApiError('CONFLICT', 'The dead letter has been replayed and cannot be discarded');
      }
    },

    /**
     * Starts replaying every open dead letter that the filter matches and that had failed by now, or counts them for a
     * dry run. What fails again meanwhile is not taken up a second time, so it ends; asking twice replays nothing twice.
     */
    async replayMatching(caller: Caller, request: BulkReplayRequest): Promise<BulkReplay | BulkReplayPreview> {
      const { channelId, subscriptionId, eventType, since } = request;
      requireOrder(since, request.until);
      const now = clock();
      const until = request.until && request.until < now ? request.until : new Date(now.getTime() + 1);
      const filter = { channelId, subscriptionId, eventType, since, until, environmentId: caller.environmentId };
      const matched = await store.countDeadLetters(db, { ...filter, status: 'open' });
      if (request.dryRun) return { status: 'preview', matched, replayed: 0, failed: 0 };
      const replay = await bulk.insertBulkReplay(db, {
        id: newId('bulkReplay'),
        environmentId: caller.environmentId,
        channelId,
        subscriptionId,
        eventType,
        matched,
        failedSince: since,
        failedUntil: until,
        requestedBy: caller.credentialId,
      });
      await notifyDue(db);
      return replay;
    },

    /** Stops a bulk replay; what it has replayed stays replayed. CONFLICT when it has ended. */
    async cancelBulkReplay(caller: Caller, bulkReplayId: string): Promise<BulkReplay> {
      const { status } = await getBulkReplay(caller, bulkReplayId);
      const isCancelled = await bulk.cancelBulkReplay(db, caller.environmentId, bulkReplayId, clock());
      if (!isCancelled && status !== 'cancelled') throw new ApiError('CONFLICT', `The bulk replay is ${status}`);
      return getBulkReplay(caller, bulkReplayId);
    },
  };
}
