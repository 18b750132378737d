import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { DeliveryStatus, RunStatus } from '../../kernel/words/statuses.ts';
import type { ReplayOutcome } from './schema.ts';

// Rows counted for each number, of deliveries and of runs. The query reads entries of one index: up to 60,000, in about
// 30 ms.
export const MOST_OUTCOMES = 10_000;
// The same limit for each replay of a page, which has up to 100.
export const MOST_OUTCOMES_IN_LIST = 1_000;

/** Outcome of a replay that has not made anything due yet. */
export const NO_OUTCOME: ReplayOutcome = { succeeded: 0, underWay: 0, failed: 0, isExact: true };

const DELIVERIES: Readonly<Record<DeliveryStatus, keyof ReplayOutcome>> = {
  pending: 'underWay',
  retrying: 'underWay',
  delivered: 'succeeded',
  failed: 'failed',
};
const RUNS: Readonly<Record<RunStatus, keyof ReplayOutcome>> = {
  pending: 'underWay',
  running: 'underWay',
  waiting: 'underWay',
  paused: 'underWay',
  completed: 'succeeded',
  skipped: 'succeeded',
  failed: 'failed',
  cancelled: 'failed',
};

/** SQL: how many rows of the replay `r` have a status that counts as `outcome`, up to $3. */
const countOf = (
  table: 'deliveries' | 'runs',
  statuses: Readonly<Record<string, keyof ReplayOutcome>>,
  outcome: keyof ReplayOutcome,
): string => {
  const those = Object.entries(statuses).flatMap(([status, counts]) => (counts === outcome ? [`'${status}'`] : []));
  return `(SELECT count(*)::int FROM (SELECT FROM ${table} d
    WHERE d.environment_id = $1 AND d.replay_id = r.id AND d.status IN (${those.join(', ')}) LIMIT $3::int) AS counted)`;
};

const countsOf = (outcome: keyof ReplayOutcome): string =>
  `ARRAY[${countOf('deliveries', DELIVERIES, outcome)}, ${countOf('runs', RUNS, outcome)}] AS "${outcome}"`;

const COUNT = `
  SELECT r.id, ${countsOf('succeeded')}, ${countsOf('underWay')}, ${countsOf('failed')}
  FROM unnest($2::text[]) AS r (id)`;

type Counts = Record<'succeeded' | 'underWay' | 'failed', [deliveries: number, runs: number]>;

/**
 * Adds to each replay the outcome of the rows that it was the last to make due. Counts up to `most` for each number.
 */
export async function withOutcomes<Replay extends { id: string }>(
  db: DatabaseTransaction,
  environmentId: string,
  replays: readonly Replay[],
  most: number,
): Promise<(Replay & { outcome: ReplayOutcome })[]> {
  if (replays.length === 0) return [];
  const ids = replays.map(({ id }) => id);
  const rows = await db.$queryRawUnsafe<(Counts & { id: string })[]>(COUNT, environmentId, ids, most);
  const found = new Map(rows.map(({ id, ...counts }) => [id, outcomeOf(counts, most)]));
  return replays.map((replay) => ({ ...replay, outcome: found.get(replay.id) ?? NO_OUTCOME }));
}

function outcomeOf({ succeeded, underWay, failed }: Counts, most: number): ReplayOutcome {
  const sum = ([deliveries, runs]: [number, number]): number => deliveries + runs;
  return {
    succeeded: sum(succeeded),
    underWay: sum(underWay),
    failed: sum(failed),
    isExact: [succeeded, underWay, failed].flat().every((count) => count < most),
  };
}
