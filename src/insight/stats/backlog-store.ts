import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { along, createValues, idBounds, queryAlong } from '../../platform/db/sql/walk.ts';
import { MOST_COUNTED } from './store.ts';

/** The most deliveries of an environment that are looked at, in each state, for those of one channel: no index has them by channel. */
export const MOST_LEFT_LOOKED_AT = 5_000;

export type LeftOfChannel = { environmentId: string; channelId: string; status: 'pending' | 'retrying' | 'open' };

/**
 * Deliveries of one channel in a state, or its open dead letters: one more than is shown at most for letters, and the id of the oldest.
 * Open dead letters have an index by channel, and deliveries are looked for among the oldest of the environment.
 * `isCut`: there may be more behind these.
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

/** Living workers of all environments, and those of them that Temporal does not answer. */
export async function countWorkers(
  transaction: Pick<DatabaseTransaction, '$queryRaw'>,
): Promise<{ living: number; withoutTemporal: number }> {
  const [row] = await transaction.$queryRaw<{ living: number; withoutTemporal: number }[]>`
    SELECT count(*)::int AS living, count(*) FILTER (WHERE is_temporal_away)::int AS "withoutTemporal"
    FROM incarnations WHERE expires_at > now()`;
  return row ?? { living: 0, withoutTemporal: 0 };
}
