import type { Pool, PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Filters } from '../../messaging/filters/filters.ts';
import type { IdKind } from '../../kernel/values/ids.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { ReplayStatus } from '../../kernel/words/statuses.ts';
import type { ReplayOutcome } from './schema.ts';

/** What a worker needs to run batches. */
export type ReplayDependencies = { pool: Pool; filters: Pick<Filters, 'evaluate'> };

/**
 * Result of a batch. `counts` are added to those of the replay; omitted ones stay. `last` is the id of the last row
 * examined; the next batch starts after it. With `isLast`, the replay is completed. `waitMs` is the time until the next
 * batch, because of the rate or because messages are not ready yet: at most a second, and it applies to all workers.
 */
export type Batch =
  | { result: 'made'; counts: Readonly<Record<string, number>>; last: string | null; isLast: boolean; waitMs: number }
  | { result: 'notNow'; waitMs: number }
  /** The target is gone, so the replay ends as cancelled. */
  | { result: 'cancelled' };

/** Runs the next batch in the transaction that has locked the replay and will store its progress. */
type MakeBatch = (connection: PoolClient) => Promise<Batch>;

/**
 * A kind of replay: it makes deliveries due again in batches, with counts, progress and an end. Rows of `table` have
 * the columns id, environment_id, status (REPLAY_STATUSES), position, next_batch_at, carrier (the Temporal workflow
 * id), requested_by, created_at, finished_at, one per count, and the parameters of the kind. batches.ts does the rest:
 * it runs batches, counts, cancels, ends and restarts.
 *
 * To add a kind, write a file like dead-letter-store.ts, whose constant of this type defines where the next batch comes
 * from, what a batch does and how it is counted. Then add its names in Temporal to `REPLAY_KINDS`
 * (src/kernel/contract/replays.ts); the compiler will ask for the lines in batches.ts, activities/background.ts,
 * workflows/index.ts and test/replays/batches.whole.test.ts, whose tests run for every kind. service.ts gives it `get`,
 * `list` and `cancel` (`createReading`), in addition to its own `start`.
 */
export type ReplayKindDefinition = {
  /** Name in error texts. The list of the kind is its plural. */
  name: string;
  /** Prefix of its ids (src/kernel/values/ids.ts). */
  prefix: IdKind;
  table: string;
  /** Columns with counts, in the order in which a heartbeat shows them. */
  counts: readonly string[];
  /**
   * Prepares the next batch with no transaction open, because evaluating filters may take time. The returned function
   * runs the batch and must check itself that nothing has changed meanwhile.
   */
  prepare(deps: ReplayDependencies, replay: { id: string; now: Date }): Promise<MakeBatch>;
};

/** A replay as stored in its table. What happened to its rows is added from the rows themselves (outcome-store.ts). */
export type StoredReplay<Replay extends { outcome: ReplayOutcome }> = Omit<Replay, 'outcome'> & {
  id: string;
  status: ReplayStatus;
};

/** A kind with the queries for its API resource. `Filter` is what its list can be filtered by. */
export type ReadableKind<Replay extends { outcome: ReplayOutcome }, Filter> = ReplayKindDefinition & {
  find(db: DatabaseTransaction, environmentId: string, id: string): Promise<StoredReplay<Replay> | undefined>;
  /** Newest first, one more than the page holds. */
  list(
    db: DatabaseTransaction,
    filter: Filter & { environmentId: string },
    page: PageRequest,
  ): Promise<StoredReplay<Replay>[]>;
};
