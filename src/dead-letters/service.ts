import { wakeWorkers } from '../db/due.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Deliveries } from '../deliveries/service.ts';
import { discardDeadLetter } from '../deliveries/statements/dead-letters.ts';
import { replayDeadLetters } from '../deliveries/statements/due-again.ts';
import type { Delivery } from '../deliveries/schema.ts';
import type { EnvironmentCaller } from '../identity/caller.ts';
import { ApiError, invalidField, notFound } from '../kernel/api-error.ts';
import { firstTimeFrom, idsWithin, millisecondsOf, windowText } from '../kernel/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../kernel/page.ts';
import * as bulk from './bulk-replay-store.ts';
import type {
  BulkReplay,
  BulkReplayFilter,
  BulkReplayPreview,
  BulkReplayRequest,
  DeadLetter,
  ListBulkReplays,
  ListDeadLetters,
} from './schema.ts';
import * as store from './store.ts';

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** Looking at, replaying and discarding what never succeeded (spec §1). */
export function createDeadLetters(
  { db, pool, clock, newId }: Pick<Dependencies, 'db' | 'pool' | 'clock' | 'newId'>,
  { deliveries }: { deliveries: Deliveries },
) {
  const get = async (caller: EnvironmentCaller, deadLetterId: string): Promise<DeadLetter> => {
    const letter = await store.findDeadLetter(db, caller.environmentId, deadLetterId);
    if (letter === undefined) throw notFound('dead letter');
    return letter;
  };

  const getBulkReplay = async (caller: EnvironmentCaller, bulkReplayId: string): Promise<BulkReplay> => {
    const replay = await bulk.findBulkReplay(db, caller.environmentId, bulkReplayId);
    if (replay === undefined) throw notFound('bulk replay');
    return replay;
  };

  return {
    get,
    getBulkReplay,

    async list(caller: EnvironmentCaller, query: ListDeadLetters): Promise<Page<DeadLetter>> {
      const { environmentId } = caller;
      const { cursor: _, limit, since, until, ...filter } = query;
      const filters = { ...filter, ...windowText({ since, until }) };
      const scope: ListScope = { list: 'dead letters', environmentId, filters };
      const ids = idsWithin('deadLetter', { since, until });
      const found = await store.listDeadLetters(db, { environmentId, ...filter, ids }, pageRequest(scope, query));
      return toPage(scope, limit, found, (letter) => letter);
    },

    /** Makes the delivery due again: next round, fresh policy. CONFLICT unless it is open and its subscription is there. */
    async replay(caller: EnvironmentCaller, deadLetterId: string): Promise<Delivery> {
      const letter = await get(caller, deadLetterId);
      const replayed = await replayDeadLetters(pool, {
        ids: [deadLetterId],
        environmentId: caller.environmentId,
        requestedBy: caller.principal.id,
      });
      if (replayed === 0) {
        throw new ApiError(
          'CONFLICT',
          letter.status === 'open'
            ? 'The subscription of this dead letter is deleted'
            : `The dead letter is ${letter.status}; only an open one can be replayed`,
        );
      }
      return deliveries.get(caller, letter.deliveryId ?? '');
    },

    /** Marks a dead letter as discarded; discarding it again changes nothing. CONFLICT for a replayed one. */
    async discard(caller: EnvironmentCaller, deadLetterId: string): Promise<void> {
      const letter = await get(caller, deadLetterId);
      const isDiscarded = await discardDeadLetter(pool, {
        id: deadLetterId,
        environmentId: caller.environmentId,
      });
      if (!isDiscarded && letter.status !== 'discarded') {
        throw new ApiError('CONFLICT', 'The dead letter has been replayed and cannot be discarded');
      }
    },

    /**
     * Starts replaying every open dead letter that the filter matches and that had failed by now, or counts them for a
     * dry run. A delivery that fails again meanwhile is not taken up a second time, so the replay ends. Two requests replay nothing twice.
     */
    async replayMatching(
      caller: EnvironmentCaller,
      request: BulkReplayRequest,
    ): Promise<BulkReplay | BulkReplayPreview> {
      const { environmentId } = caller;
      const { dryRun, since, until, ...named } = request;
      const missing = await store.findMissing(db, environmentId, named);
      if (missing !== undefined) throw invalidField(`${missing}Id`, `names no ${missing} of this environment`);
      const end = new Date(clock().getTime() + 1);
      const asked = until === undefined ? end : firstTimeFrom(until);
      const filter: BulkReplayFilter = {
        ...named,
        ...(since !== undefined && { since: new Date(millisecondsOf(since)) }),
        until: asked < end ? asked : end,
      };
      const matched = await store.countDeadLetters(db, bulk.openOnesOf(environmentId, filter));
      if (dryRun) return { status: 'preview', matched, replayed: 0, failed: 0 };
      const replay = await bulk.insertBulkReplay(db, {
        id: newId('bulkReplay'),
        environmentId,
        filter,
        matched,
        requestedBy: caller.principal.id,
      });
      await wakeWorkers(db);
      return replay;
    },

    async listBulkReplays({ environmentId }: EnvironmentCaller, query: ListBulkReplays): Promise<Page<BulkReplay>> {
      const { status, limit } = query;
      const scope: ListScope = { list: 'bulk replays', environmentId, filters: { status } };
      const found = await bulk.listBulkReplays(db, { environmentId, status }, pageRequest(scope, query));
      return toPage(scope, limit, found, (replay) => replay);
    },

    /** Stops a bulk replay; what it has replayed stays replayed. CONFLICT when it has ended. */
    async cancelBulkReplay(caller: EnvironmentCaller, bulkReplayId: string): Promise<BulkReplay> {
      const { status } = await getBulkReplay(caller, bulkReplayId);
      const isCancelled = await bulk.cancelBulkReplay(db, caller.environmentId, bulkReplayId, clock());
      if (!isCancelled && status !== 'cancelled') throw new ApiError('CONFLICT', `The bulk replay is ${status}`);
      return getBulkReplay(caller, bulkReplayId);
    },
  };
}
