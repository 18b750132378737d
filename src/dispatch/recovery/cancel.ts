import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../../db/transaction.ts';
import { endAsDeadLetter } from '../../deliveries/statements/end.ts';
import type { Doer, RecordAudit } from '../../identity/audit/record.ts';

const PLACE = `
  SELECT a.organisation_id AS "organisationId", a.id AS "appId", e.id AS "environmentId"
  FROM deliveries d JOIN environments e ON e.id = d.environment_id JOIN apps a ON a.id = e.app_id
  WHERE d.id = $1`;

/**
 * Somebody has terminated the delivery's Temporal workflow: the delivery ends as a dead letter, and the audit log tells of it. Temporal
 * does not say who that was. False when the delivery has ended, or is in another round.
 */
export const endAsCancelled = (
  { pool, record }: { pool: Pool; record: RecordAudit },
  { deliveryId, round }: { deliveryId: string; round: number },
): Promise<boolean> =>
  inTransaction(pool, async (connection) => {
    const message = 'its Temporal workflow was terminated';
    if (!(await endAsDeadLetter(connection, { deliveryId, round, reason: 'cancelled', message }))) return false;
    const doer: Doer = { ...(await placeOf(connection, deliveryId)), actor: { kind: 'temporal' } };
    await record(connection, doer, { action: 'delivery.cancelled', target: { id: deliveryId } });
    return true;
  });

async function placeOf(connection: PoolClient, deliveryId: string): Promise<Omit<Doer, 'actor'>> {
  const { rows } = await connection.query<Omit<Doer, 'actor'>>(PLACE, [deliveryId]);
  const [place] = rows;
  if (place === undefined) throw new Error(`Delivery ${deliveryId} has no environment`);
  return place;
}
