import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import { Prisma } from '../../platform/db/generated/client.ts';
import { along, createValues, idBounds, queryAlong } from '../../platform/db/sql/walk.ts';
import { failingSinceOf } from '../../kernel/rules/failing.ts';
import { PAGE_LIMIT } from '../../kernel/values/page.ts';
import { type RunStatus, UNFINISHED_RUNS } from '../../kernel/words/statuses.ts';
import { ALL_RUNS } from './merge-store.ts';
import type { Span } from './span.ts';

/** Counts live workers of the service, and those of them that cannot reach Temporal. */
export async function countWorkers(
  transaction: Pick<DatabaseTransaction, '$queryRaw'>,
): Promise<{ living: number; withoutTemporal: number }> {
  const [row] = await transaction.$queryRaw<{ living: number; withoutTemporal: number }[]>`
    SELECT count(*)::int AS living, count(*) FILTER (WHERE is_temporal_away)::int AS "withoutTemporal"
    FROM incarnations WHERE expires_at > now()`;
  return row ?? { living: 0, withoutTemporal: 0 };
}

/** Number of attempts, messages or dead letters of one owner in one step. */
export type Counted = { ofId: string; at: Date; code: number; latencyClass: number; count: number };

/** Reads counts of environments, channels or subscriptions, per step of a span; with `code` only of this outcome. */
export function findCounted(
  reader: Pick<DatabaseReader, '$queryRaw'>,
  { environmentId, ofIds, code }: { environmentId: string; ofIds: readonly string[]; code?: number },
  { since, until, stepMs, minutes }: Span,
): Promise<Counted[]> {
  return reader.$queryRaw<Counted[]>`
    SELECT of_id AS "ofId", date_bin(make_interval(secs => ${stepMs / 1_000}::float8), at, 'epoch') AS at, code, latency_class AS "latencyClass",
      sum(count)::float8 AS count
    FROM stat_counts
    WHERE of_id = ANY(${ofIds}::text[]) AND environment_id = ${environmentId} AND minutes = ${minutes}::smallint
      AND at >= ${since} AND at < ${until} ${code === undefined ? Prisma.empty : Prisma.sql`AND code = ${code}::smallint`}
    GROUP BY 1, 2, 3, 4`;
}

/**
 * A subscription and since when its receiver has been failing (src/kernel/rules/failing.ts); undefined if it is not
 * failing.
 */
export type SubscriptionHealth = { id: string; failingSince: Date | undefined };

/** Returns the named subscriptions of the environment in that order; the newest 100 if none is named. */
export async function findSubscriptions(
  reader: Pick<DatabaseReader, 'subscription'>,
  environmentId: string,
  named: readonly string[] | undefined,
  now: Date,
): Promise<SubscriptionHealth[]> {
  const rows = await reader.subscription.findMany({
    where: { environmentId, ...(named === undefined ? { deletedAt: null } : { id: { in: [...named] } }) },
    orderBy: { id: 'desc' },
    take: PAGE_LIMIT.max,
    select: {
      id: true,
      status: true,
      failingSince: true,
      failingAttempts: true,
      statusChangedAt: true,
      updatedAt: true,
    },
  });
  return inOrder(rows, named).map((row) => ({ id: row.id, failingSince: failingSinceOf(row, now) }));
}

/** Returns the named channels of the environment in that order; the newest 100 if none is named. */
export async function findChannelIds(
  reader: Pick<DatabaseReader, 'channel'>,
  environmentId: string,
  named: readonly string[] | undefined,
): Promise<string[]> {
  const rows = await reader.channel.findMany({
    where: { environmentId, ...(named === undefined ? { deletedAt: null } : { id: { in: [...named] } }) },
    orderBy: { id: 'desc' },
    take: PAGE_LIMIT.max,
    select: { id: true },
  });
  return idsOf(inOrder(rows, named));
}

/** Returns the named workflows of the environment in that order; the newest 100 if none is named. */
export async function findWorkflowIds(
  transaction: Pick<DatabaseTransaction, 'workflow'>,
  environmentId: string,
  named: readonly string[] | undefined,
): Promise<string[]> {
  const rows = await transaction.workflow.findMany({
    where: { environmentId, ...(named === undefined ? { deletedAt: null } : { id: { in: [...named] } }) },
    orderBy: { id: 'desc' },
    take: PAGE_LIMIT.max,
    select: { id: true },
  });
  return idsOf(inOrder(rows, named));
}

/** A run as shown in the list of workflows. */
export type LastRun = {
  id: string;
  workflowId: string;
  status: RunStatus;
  finishedAt: Date | null;
  filteredBy: string | null;
};

/** Returns the newest run of each of these workflows, with one index lookup for each, however many runs it has. */
export async function findLastRuns(
  transaction: DatabaseTransaction,
  environmentId: string,
  workflowIds: readonly string[],
): Promise<LastRun[]> {
  const values = createValues();
  const named = workflowIds.map((id) => values.add(id)).join(', ');
  const newest = along({
    table: 'runs',
    columns: ['workflow_id'],
    at: ['w.id'],
    bounds: idBounds(values, {}),
    where: [`d.environment_id = ${values.add(environmentId)}`],
    limit: 1,
    beside: 'd.status, d.finished_at AS "finishedAt", d.filtered_by AS "filteredBy"',
  });
  return queryAlong<LastRun>(
    transaction,
    `SELECT r.*, w.id AS "workflowId" FROM unnest(ARRAY[${named}]::text[]) AS w (id) CROSS JOIN LATERAL (${newest}) AS r`,
    values,
  );
}

/** Returns the named inbound webhooks of the environment in that order; the newest 100 if none is named. */
export async function findWebhookIds(
  transaction: Pick<DatabaseTransaction, 'inboundWebhook'>,
  environmentId: string,
  named: readonly string[] | undefined,
): Promise<string[]> {
  const rows = await transaction.inboundWebhook.findMany({
    where: { environmentId, ...(named !== undefined && { id: { in: [...named] } }) },
    orderBy: { position: 'desc' },
    take: PAGE_LIMIT.max,
    select: { id: true },
  });
  return idsOf(inOrder(rows, named));
}

/** Orders rows as they were named; unchanged if none was. */
function inOrder<Row extends { id: string }>(rows: Row[], named: readonly string[] | undefined): Row[] {
  return named === undefined ? rows : named.flatMap((id) => rows.filter((row) => row.id === id));
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Counts the subscriptions of each of these channels, up to one more than is shown. */
export async function countSubscriptions(
  reader: Pick<DatabaseReader, '$queryRaw'>,
  environmentId: string,
  channelIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await reader.$queryRaw<{ channelId: string; count: number }[]>`
    SELECT c.id AS "channelId", (
      SELECT count(*)::int FROM (
        SELECT FROM subscriptions s
        WHERE s.channel_id = c.id AND s.environment_id = ${environmentId} AND s.deleted_at IS NULL LIMIT ${MOST_COUNTED + 1}
      ) AS few
    ) AS count
    FROM unnest(${channelIds}::text[]) AS c (id)`;
  return new Map(rows.map(({ channelId, count }) => [channelId, count]));
}

/** Whether the subscription belongs to the channel. */
export async function isOfChannel(
  reader: Pick<DatabaseReader, 'subscription'>,
  { environmentId, subscriptionId, channelId }: { environmentId: string; subscriptionId: string; channelId: string },
): Promise<boolean> {
  const found = await reader.subscription.findFirst({
    where: { id: subscriptionId, environmentId, channelId },
    select: { id: true },
  });
  return found !== null;
}

/** Limit for counting unfinished work, so that the index is read only this far, however long the backlog is. */
export const MOST_COUNTED = 1_000;

// Three indexes have all unfinished deliveries that no process has claimed: first attempts, retries, and those in
// Temporal. The ORDER BY of the first two makes PostgreSQL use them.
const WAITING = [
  'd.holder IS NULL AND d.carrier IS NULL AND d.policy_attempts = 0 ORDER BY d.due_at',
  'd.holder IS NULL AND d.carrier IS NULL AND d.policy_attempts > 0 ORDER BY d.due_at',
  'd.carrier IS NOT NULL',
]
  .map(
    (which) => `
      (SELECT d.due_at FROM deliveries d WHERE d.subscription_id = s.id AND d.due_at IS NOT NULL AND ${which} LIMIT ${MOST_COUNTED + 1})`,
  )
  .join(' UNION ALL ');

/**
 * Counts the deliveries of each of these subscriptions that wait for an attempt, up to one more than is shown. Reads
 * only indexes of unfinished deliveries, so finished ones cost nothing.
 */
export async function countWaiting(
  transaction: DatabaseTransaction,
  subscriptionIds: readonly string[],
): Promise<Map<string, number>> {
  const values = createValues();
  const named = subscriptionIds.map((id) => values.add(id)).join(', ');
  const rows = await queryAlong<{ id: string; count: number }>(
    transaction,
    `SELECT s.id, (SELECT count(*)::int FROM (${WAITING} LIMIT ${MOST_COUNTED + 1}) AS few) AS count
     FROM unnest(ARRAY[${named}]::text[]) AS s (id)`,
    values,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** `of_id` of the statistics of all runs of an environment. */
export const allRunsOf = (environmentId: string): string => environmentId.concat(ALL_RUNS);

/**
 * Maximum runs read per status to find the unfinished runs of one workflow, because the index is by environment.
 * Without a limit the page of a workflow would wait for the backlog of another one.
 */
export const MOST_RUNS_LOOKED_AT = 5_000;

/**
 * Counts unfinished runs of the environment or one workflow, up to more than is shown. `isMore`: there may be others
 * among the runs that were not read.
 */
export async function countUnfinished(
  transaction: DatabaseTransaction,
  environmentId: string,
  workflowId: string | undefined,
): Promise<{ count: number; isMore: boolean }> {
  const values = createValues();
  const bounds = idBounds(values, {});
  const limit = workflowId === undefined ? MOST_COUNTED + 1 : MOST_RUNS_LOOKED_AT + 1;
  const walks = UNFINISHED_RUNS.map((status) => {
    const walk = along({
      table: 'runs',
      columns: ['environment_id', 'status'],
      at: [values.add(environmentId), `'${status}'`],
      bounds,
      limit,
      beside: 'd.workflow_id, d.status',
    });
    return `(${walk})`;
  });
  const isOne = workflowId === undefined ? 'true' : `workflow_id = ${values.add(workflowId)}`;
  const [row] = await queryAlong<{ count: number; most: number }>(
    transaction,
    `WITH looked AS MATERIALIZED (${walks.join(' UNION ALL ')}), by_status AS (SELECT count(*) AS count FROM looked GROUP BY status)
     SELECT (SELECT count(*)::int FROM looked WHERE ${isOne}) AS count, (SELECT coalesce(max(count), 0)::int FROM by_status) AS most`,
    values,
  );
  return { count: row?.count ?? 0, isMore: (row?.most ?? 0) === limit };
}

const LEFT = {
  pending: { table: 'deliveries', where: `d.status <> 'delivered'` },
  retrying: { table: 'deliveries', where: `d.status <> 'delivered'` },
  open: { table: 'dead_letters', where: 'true' },
} as const;

/** Counts rows of an environment in a state, up to one more than is shown, and returns the id of the oldest. */
export async function countLeft(
  transaction: DatabaseTransaction,
  environmentId: string,
  status: keyof typeof LEFT,
): Promise<{ count: number; oldestId: string | null }> {
  const { table, where } = LEFT[status];
  const values = createValues();
  const oldest = along({
    table,
    columns: ['environment_id', 'status'],
    // A constant from our own code, as a literal, because only then can PostgreSQL choose the partial index.
    at: [values.add(environmentId), `'${status}'`],
    bounds: idBounds(values, {}),
    where: [where],
    limit: MOST_COUNTED + 1,
    isRising: true,
  });
  const rows = await queryAlong<{ count: number; oldestId: string | null }>(
    transaction,
    `WITH oldest AS MATERIALIZED (${oldest}) SELECT count(*)::int AS count, min(id) AS "oldestId" FROM oldest`,
    values,
  );
  return rows[0] ?? { count: 0, oldestId: null };
}

/**
 * Maximum deliveries of an environment read in each state to find those of one channel, because there is no index by
 * channel.
 */
export const MOST_LEFT_LOOKED_AT = 5_000;

export type LeftOfChannel = { environmentId: string; channelId: string; status: 'pending' | 'retrying' | 'open' };

/**
 * Counts deliveries of one channel in a state, or its open dead letters (up to one more than is shown), and returns the
 * id of the oldest. Open dead letters have an index by channel; deliveries are looked for among the oldest of the
 * environment. `isCut`: there may be more after these.
 */
export async function countLeftOfChannel(
  transaction: DatabaseTransaction,
  { environmentId, channelId, status }: LeftOfChannel,
): Promise<{ count: number; oldestId: string | null; isCut: boolean }> {
  const values = createValues();
  const bounds = idBounds(values, {});
  const isOfDeliveries = status !== 'open';
  const limit = isOfDeliveries ? MOST_LEFT_LOOKED_AT : MOST_COUNTED + 1;
  const looked = isOfDeliveries
    ? along({
        table: 'deliveries',
        columns: ['environment_id', 'status'],
        at: [values.add(environmentId), `'${status}'`],
        bounds,
        where: [`d.status <> 'delivered'`],
        limit,
        isRising: true,
        beside: `d.channel_id = ${values.add(channelId)} AS fits`,
      })
    : along({
        table: 'dead_letters',
        columns: ['channel_id', 'status'],
        at: [values.add(channelId), `'${status}'`],
        bounds,
        where: [`d.environment_id = ${values.add(environmentId)}`],
        limit,
        isRising: true,
        beside: 'true AS fits',
      });
  const [row] = await queryAlong<{ count: number; oldestId: string | null; looked: number }>(
    transaction,
    `WITH looked AS MATERIALIZED (${looked})
     SELECT count(*) FILTER (WHERE fits)::int AS count, min(id) FILTER (WHERE fits) AS "oldestId", count(*)::int AS looked FROM looked`,
    values,
  );
  const { count, oldestId } = row ?? { count: 0, oldestId: null };
  return { count, oldestId, isCut: isOfDeliveries && row?.looked === limit };
}
