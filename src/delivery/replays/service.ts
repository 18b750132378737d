import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { wakeWorkers } from '../../platform/db/waking.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Filters } from '../../messaging/filters/filters.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { firstTimeFrom, type Instant, millisecondsOf } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { ReplayStatus } from '../../kernel/words/statuses.ts';
import { cancelReplay } from './batches.ts';
import * as bulk from './dead-letter-store.ts';
import { countRetryable, deliveryRetries, insertBulkRetry } from './delivery-store.ts';
import type { ReadableKind } from './kind.ts';
import { createMessageReplays } from './message-replays.ts';
import { messageReplays } from './message-store.ts';
import { MOST_OUTCOMES, MOST_OUTCOMES_IN_LIST, NO_OUTCOME, withOutcomes } from './outcome-store.ts';
import {
  type BulkDiscard,
  type BulkDiscardRequest,
  type BulkReplay,
  type BulkReplayFilter,
  type BulkReplayPreview,
  type BulkReplayRequest,
  type BulkRetry,
  type BulkRetryFilter,
  type BulkRetryPreview,
  type BulkRetryRequest,
  type ReplayOutcome,
} from './schema.ts';

// Dead letters discarded per request: takes about 100 ms.
const DISCARDED_AT_ONCE = 1_000;
// A request counts all open dead letters that its filter matches. Prisma's default is 5 s.
const START_TIMEOUT_MS = 30_000;

export type Replays = ReturnType<typeof createReplays>;

type Needed = Pick<Dependencies, 'tenants' | 'newId' | 'clock'>;
type Collaborators = { audit: { record: RecordAudit }; filters: Pick<Filters, 'evaluate'> };

/** Replays of every kind, each run by a Temporal workflow: start, get, list and cancel. */
export const createReplays = (deps: Needed, collaborators: Collaborators) => ({
  deadLetters: {
    ...createReading(deps, collaborators, bulk.deadLetterReplays),
    ...createBulkReplays(deps, collaborators),
    ...createBulkDiscard(deps, collaborators),
  },
  deliveries: {
    ...createReading(deps, collaborators, deliveryRetries),
    ...createBulkRetries(deps, collaborators),
  },
  messages: {
    ...createReading(deps, collaborators, messageReplays),
    ...createMessageReplays(deps, collaborators),
  },
});

/** Returns `get`, `list` and `cancel`, which are the same for every kind. */
function createReading<
  Replay extends { id: string; status: ReplayStatus; outcome: ReplayOutcome },
  Filter extends Record<string, string | undefined>,
>({ tenants, clock }: Needed, { audit }: Collaborators, kind: ReadableKind<Replay, Filter>) {
  const get = async (caller: EnvironmentCaller, id: string): Promise<Replay> => {
    const replay = isId(kind.prefix, id)
      ? await tenants.within(caller, async (transaction) => {
          const stored = await kind.find(transaction, caller.environmentId, id);
          if (stored === undefined) return undefined;
          const [found] = await withOutcomes(transaction, caller.environmentId, [stored], MOST_OUTCOMES);
          // `as`: a stored replay with its outcome is complete.
          return found as Replay | undefined;
        })
      : undefined;
    if (replay === undefined) throw notFound(kind.name);
    return replay;
  };

  return {
    get,

    /** Newest first, including replays of deleted resources. An unknown id in a filter gives an empty list. */
    async list(
      caller: EnvironmentCaller,
      filters: Filter,
      query: { limit: number; cursor?: string | undefined },
    ): Promise<Page<Replay>> {
      const { environmentId } = caller;
      const scope: ListScope = { list: kind.table, environmentId, filters };
      const page = pageRequest(scope, query);
      const found = await tenants.list(caller, async (transaction) => {
        const stored = await kind.list(transaction, { ...filters, environmentId }, page);
        // `as`: as above.
        return (await withOutcomes(transaction, environmentId, stored, MOST_OUTCOMES_IN_LIST)) as Replay[];
      });
      return toPage(scope, query.limit, found, (replay) => replay);
    },

    /** Stops a replay. What it has replayed stays replayed. Throws CONFLICT if it has ended. */
    async cancel(caller: EnvironmentCaller, id: string): Promise<Replay> {
      const { status } = await get(caller, id);
      const { environmentId } = caller;
      const isCancelled = await tenants.onConnection(caller, async (connection) => {
        if (!(await cancelReplay(connection, { table: kind.table, environmentId, id, now: clock() }))) return false;
        await audit.record(connection, caller, { action: 'replay.cancelled', target: { id } });
        return true;
      });
      if (!isCancelled && status !== 'cancelled') throw new ApiError('CONFLICT', `The ${kind.name} is ${status}`);
      return get(caller, id);
    },
  };
}

type Asked = { since?: Instant | undefined; until?: Instant | undefined };

/** Returns the time range of a request. It ends at the current time, so that nothing later is included. */
function spanOf({ since, until }: Asked, now: Date): { since?: Date; until: Date } {
  const end = new Date(now.getTime() + 1);
  const asked = until === undefined ? end : firstTimeFrom(until);
  const from = since === undefined ? {} : { since: new Date(millisecondsOf(since)) };
  return { ...from, until: asked < end ? asked : end };
}

/** Returns the filter of a request about dead letters. */
function letterFilter(
  { since, until, createdSince, createdUntil, ...named }: Omit<BulkDiscardRequest, 'dryRun'>,
  now: Date,
): BulkReplayFilter {
  return {
    ...named,
    ...spanOf({ since, until }, now),
    ...(createdSince !== undefined && { createdSince: new Date(millisecondsOf(createdSince)) }),
    ...(createdUntil !== undefined && { createdUntil: firstTimeFrom(createdUntil) }),
  };
}

/** Throws INVALID_REQUEST for the first id of a filter that does not exist in the environment. */
async function requireNamed(
  transaction: DatabaseTransaction,
  environmentId: string,
  named: Parameters<typeof bulk.findMissing>[2],
): Promise<void> {
  const missing = await bulk.findMissing(transaction, environmentId, named);
  if (missing !== undefined) throw invalidField(`${missing}Id`, `must name a ${missing} of this environment`);
}

/** Throws INVALID_REQUEST if the replay in the filter of a bulk retry does not exist. */
async function requireReplay(
  transaction: DatabaseTransaction,
  environmentId: string,
  replayId: string | undefined,
): Promise<void> {
  if (replayId === undefined) return;
  const kind = [bulk.deadLetterReplays, deliveryRetries, messageReplays].find(({ prefix }) => isId(prefix, replayId));
  if ((await kind?.find(transaction, environmentId, replayId)) === undefined)
    throw invalidField('replayId', 'must name a replay of this environment');
}

const createBulkReplays = ({ tenants, newId, clock }: Needed, { audit }: Collaborators) => ({
  /**
   * Starts replaying every open dead letter that matches the filter and has failed by now, or counts them for a dry
   * run. A delivery that fails again meanwhile is not replayed a second time, so the replay ends. Two replays never
   * replay the same dead letter twice.
   */
  async start(caller: EnvironmentCaller, request: BulkReplayRequest): Promise<BulkReplay | BulkReplayPreview> {
    const { environmentId } = caller;
    const { dryRun, ratePerSecond, ...named } = request;
    const paced = ratePerSecond === undefined ? {} : { ratePerSecond };
    return tenants.within(
      caller,
      async (transaction) => {
        await requireNamed(transaction, environmentId, named);
        const filter = letterFilter(named, clock());
        const matched = await bulk.countOpenOnes(transaction, environmentId, filter);
        if (dryRun) {
          const oldest = await bulk.findOldest(transaction, environmentId, filter);
          return { status: 'preview', matched, replayed: 0, failed: 0, oldest };
        }
        const replay = await bulk.insertBulkReplay(transaction, {
          id: newId('bulkReplay'),
          environmentId,
          filter,
          ...paced,
          matched,
          requestedBy: caller.principal.id,
        });
        await wakeWorkers(transaction);
        const after = { ...filter, ...paced, matched };
        await audit.record(transaction, caller, { action: 'replay.started', target: { id: replay.id }, after });
        return { ...replay, outcome: NO_OUTCOME };
      },
      { timeout: START_TIMEOUT_MS },
    );
  },
});

const createBulkDiscard = ({ tenants, clock }: Needed, { audit }: Collaborators) => ({
  /**
   * Discards the oldest 1,000 open dead letters that match the filter and have failed by now, or counts all of them for
   * a dry run. No job and no rate are needed, because nothing is sent: the caller repeats the request for the rest.
   */
  async discard(caller: EnvironmentCaller, { dryRun, ...named }: BulkDiscardRequest): Promise<BulkDiscard> {
    const { environmentId } = caller;
    const filter = letterFilter(named, clock());
    return tenants.within(
      caller,
      async (transaction) => {
        await requireNamed(transaction, environmentId, named);
        const matched = await bulk.countOpenOnes(transaction, environmentId, filter);
        const left = { status: dryRun ? 'preview' : 'discarded', matched, discarded: 0, left: matched } as const;
        if (dryRun || matched === 0) return left;
        const ids = await bulk.discardOldest(transaction, { environmentId, filter, limit: DISCARDED_AT_ONCE });
        const id = ids.toSorted().at(-1);
        // Other requests have replayed or discarded them meanwhile.
        if (id === undefined) return left;
        const discarded = ids.length;
        // One dead letter stands for all of them, so that lists in open browsers are refreshed.
        await audit.record(transaction, caller, {
          action: 'dead_letter.bulk_discarded',
          target: { id },
          after: { ...filter, discarded },
        });
        return { status: 'discarded', matched, discarded, left: Math.max(0, matched - discarded) };
      },
      { timeout: START_TIMEOUT_MS },
    );
  },
});

const createBulkRetries = ({ tenants, newId, clock }: Needed, { audit }: Collaborators) => ({
  /**
   * Starts retrying every delivery that matches the filter and was created by now, or counts them for a dry run. A
   * delivery that fails again meanwhile is not retried a second time, so the retry ends.
   */
  async start(caller: EnvironmentCaller, request: BulkRetryRequest): Promise<BulkRetry | BulkRetryPreview> {
    const { environmentId } = caller;
    const { dryRun, ratePerSecond, since, until, ...named } = request;
    const paced = ratePerSecond === undefined ? {} : { ratePerSecond };
    return tenants.within(
      caller,
      async (transaction) => {
        await requireNamed(transaction, environmentId, named);
        await requireReplay(transaction, environmentId, named.replayId);
        const now = clock();
        const filter: BulkRetryFilter = { ...named, ...spanOf({ since, until }, now) };
        const { oldest, ...counted } = await countRetryable(transaction, { environmentId, filter, now });
        if (dryRun) return { status: 'preview', ...counted, retried: 0, failed: 0, oldest };
        const retry = await insertBulkRetry(transaction, {
          id: newId('bulkRetry'),
          environmentId,
          filter,
          ...paced,
          ...counted,
          requestedBy: caller.principal.id,
        });
        await wakeWorkers(transaction);
        const after = { ...filter, ...paced, matched: counted.matched };
        await audit.record(transaction, caller, { action: 'replay.started', target: { id: retry.id }, after });
        return { ...retry, outcome: NO_OUTCOME };
      },
      { timeout: START_TIMEOUT_MS },
    );
  },
});
