import type { Pool, PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Filters } from '../../messaging/filters/filters.ts';
import type { IdKind } from '../../kernel/values/ids.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { ReplayStatus } from '../../kernel/words/statuses.ts';
import type { ReplayOutcome } from './schema.ts';

/** Batches are made with these, in a worker process. */
export type ReplayDependencies = { pool: Pool; filters: Pick<Filters, 'evaluate'> };

/**
 * Result of a batch. `counts` are added to those of the replay; one that is left out stays. `last` is the id of the last thing that was
 * looked at: the next batch begins behind it. `isLast`: the replay is completed. `waitMs` until the next batch, for the rate or for what
 * is not ready yet: a second at most, and every worker keeps it.
 */
export type Batch =
  | { result: 'made'; counts: Readonly<Record<string, number>>; last: string | null; isLast: boolean; waitMs: number }
  | { result: 'notNow'; waitMs: number }
  /** Its target is gone: the replay ends as cancelled. */
  | { result: 'cancelled' };

/** Makes the next batch in the transaction that has locked the replay and will store its progress. */
type MakeBatch = (connection: PoolClient) => Promise<Batch>;

/**
 * One kind of replay, which makes deliveries due again in batches, with counts, progress and an end. Rows of `table` have the
 * columns id, environment_id, status (REPLAY_STATUSES), position, next_batch_at, carrier, requested_by, created_at, finished_at, one for
 * each count, and what the kind was asked for. batches.ts does everything else: it runs batches, counts, cancels, ends and restarts.
 *
 * A further kind is one file like dead-letter-store.ts: its constant of this type says where the next batch comes from, what a batch does
 * and how it is counted. The rest is a line in each list of kinds: `REPLAY_KINDS` (src/kernel/contract/replays.ts) has its names in
 * Temporal, and once they stand there the compiler asks for the lines in kinds.ts, activities/background.ts, workflows/index.ts and
 * test/replays/batches.whole.test.ts, whose tests run for every kind. service.ts gives it `get`, `list` and `cancel` (`createReading`)
 * beside its own `start`.
 */
export type ReplayKindDefinition = {
  /** Its name in error texts and, with an s, of its list. */
  name: string;
  /** Prefix of its ids (src/kernel/values/ids.ts). */
  prefix: IdKind;
  table: string;
  /** Columns that count, in the order in which a heartbeat shows them. */
  counts: readonly string[];
  /**
   * Prepares the next batch with no transaction open: here filters are asked, which may take their time. The batch is made by what this
   * returns, and must see for itself that nothing has changed meanwhile.
   */
  prepare(deps: ReplayDependencies, replay: { id: string; now: Date }): Promise<MakeBatch>;
};

/** A replay as its table has it: its rows say what has become of them (outcome-store.ts). */
export type StoredReplay<Replay extends { outcome: ReplayOutcome }> = Omit<Replay, 'outcome'> & {
  id: string;
  status: ReplayStatus;
};

/** A kind with the readers of its resource, for the API. `Filter` is what its list may be narrowed by. */
export type ReadableKind<Replay extends { outcome: ReplayOutcome }, Filter> = ReplayKindDefinition & {
  find(db: DatabaseTransaction, environmentId: string, id: string): Promise<StoredReplay<Replay> | undefined>;
  /** Newest first, one more than asked for. */
  list(
    db: DatabaseTransaction,
    filter: Filter & { environmentId: string },
    page: PageRequest,
  ): Promise<StoredReplay<Replay>[]>;
};
