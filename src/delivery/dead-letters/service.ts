import type { Dependencies } from '../../platform/dependencies.ts';
import type { Deliveries } from '../record/service.ts';
import { discardDeadLetters } from '../record/statements/dead-letters.ts';
import { replayDeadLetters } from '../record/statements/due-again.ts';
import type { Delivery } from '../record/schema.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import * as store from './store.ts';
import { findGroups } from './store.ts';
import type { DeadLetter, DeadLetterGroups, GroupDeadLetters, ListDeadLetters } from './schema.ts';

export type DeadLetters<Run = unknown> = ReturnType<typeof createDeadLetters<Run>>;

/** Replays the dead letter of a run, which continues from the step that failed. */
export type ReplayRun<Run> = (caller: EnvironmentCaller, letter: { id: string; runId: string }) => Promise<Run>;

/** Lists, replays and discards what failed permanently (spec §1). */
export function createDeadLetters<Run>(
  { tenants }: Pick<Dependencies, 'tenants'>,
  {
    deliveries,
    replayRun,
    audit,
  }: { deliveries: Deliveries; replayRun: ReplayRun<Run>; audit: { record: RecordAudit } },
) {
  const get = async (caller: EnvironmentCaller, deadLetterId: string): Promise<DeadLetter> => {
    const letter = await tenants.read(caller, (reader) =>
      store.findDeadLetter(reader, caller.environmentId, deadLetterId),
    );
    if (letter === undefined) throw notFound('dead letter');
    return letter;
  };

  return {
    get,

    async list(caller: EnvironmentCaller, query: ListDeadLetters): Promise<Page<DeadLetter>> {
      const { environmentId } = caller;
      const { cursor: _, limit, since, until, ...filter } = query;
      const filters = { ...filter, status: filter.status?.join(','), ...windowText({ since, until }) };
      const scope: ListScope = { list: 'dead letters', environmentId, filters };
      const ids = idsWithin('deadLetter', { since, until });
      const page = pageRequest(scope, query);
      const found = await tenants.list(caller, (transaction) =>
        store.listDeadLetters(transaction, { environmentId, ...filter, ids }, page),
      );
      return toPage(scope, limit, found, (letter) => letter);
    },

    /** Returns the newest 10,000 open dead letters, grouped by cause. */
    groups(caller: EnvironmentCaller, { since, until, ...filter }: GroupDeadLetters): Promise<DeadLetterGroups> {
      const ids = idsWithin('deadLetter', { since, until });
      return tenants.list(caller, (transaction) =>
        findGroups(transaction, { environmentId: caller.environmentId, ...filter, ids }),
      );
    },

    /**
     * Makes the delivery due again, in a new round with the full retry policy. A run continues from the step that
     * failed. Throws CONFLICT unless the dead letter is open and its subscription or workflow still exists.
     */
    async replay(caller: EnvironmentCaller, deadLetterId: string): Promise<Delivery | Run> {
      const letter = await get(caller, deadLetterId);
      if (letter.runId !== undefined && letter.status === 'open')
        return replayRun(caller, { id: deadLetterId, runId: letter.runId });
      const { environmentId, principal } = caller;
      const replayed = await tenants.onConnection(caller, async (connection) => {
        const replay = { ids: [deadLetterId], environmentId, requestedBy: principal.id };
        const count = await replayDeadLetters(connection, replay);
        if (count > 0)
          await audit.record(connection, caller, { action: 'dead_letter.replayed', target: { id: deadLetterId } });
        return count;
      });
      if (replayed === 0) {
        throw new ApiError(
          'CONFLICT',
          letter.status === 'open'
            ? 'The subscription of the dead letter has been deleted'
            : `The dead letter is ${letter.status}; only an open dead letter can be replayed`,
        );
      }
      return deliveries.get(caller, letter.deliveryId ?? '');
    },

    /** Discards a dead letter. Discarding it again changes nothing. Throws CONFLICT if it was replayed. */
    async discard(caller: EnvironmentCaller, deadLetterId: string): Promise<void> {
      const letter = await get(caller, deadLetterId);
      const isDiscarded = await tenants.within(caller, async (transaction) => {
        const which = { ids: [deadLetterId], environmentId: caller.environmentId };
        if ((await discardDeadLetters(transaction, which)).length === 0) return false;
        await audit.record(transaction, caller, { action: 'dead_letter.discarded', target: { id: deadLetterId } });
        return true;
      });
      if (!isDiscarded && letter.status !== 'discarded') {
        throw new ApiError('CONFLICT', 'The dead letter has been replayed and cannot be discarded');
      }
    },
  };
}
