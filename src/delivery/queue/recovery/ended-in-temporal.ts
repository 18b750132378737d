import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { deliveryWorkflowId } from '../../../kernel/contract/temporal-names.ts';
import { inTransaction } from '../../../platform/db/transaction.ts';
import { endAsDeadLetter } from '../../record/statements/end.ts';
import type { AuditActor, RecordAudit } from '../../../identity/tenancy/audit/record.ts';
import type { Carriers } from '../../../platform/temporal/starts.ts';

const PLACE = `
  SELECT a.organisation_id AS "organisationId", a.id AS "appId", e.id AS "environmentId"
  FROM deliveries d JOIN environments e ON e.id = d.environment_id JOIN apps a ON a.id = e.app_id
  WHERE d.id = $1`;

export type CancelDependencies = {
  pool: Pool;
  log: Logger;
  record: RecordAudit;
  carriers: Pick<Carriers, 'whyEnded'>;
};

/**
 * Somebody has terminated the delivery's Temporal workflow: the delivery ends as a dead letter with that person's words, and the audit log
 * tells of it. Temporal does not say who that was. False when the delivery has ended, or is in another round.
 */
export async function endAsCancelled(
  { pool, log, record, carriers }: CancelDependencies,
  { deliveryId, round }: { deliveryId: string; round: number },
): Promise<boolean> {
  // Temporal lists a delivery for minutes. Only the first look asks for its history.
  const { rowCount } = await pool.query('SELECT FROM deliveries WHERE id = $1 AND round = $2 AND due_at IS NOT NULL', [
    deliveryId,
    round,
  ]);
  if (rowCount === 0) return false;
  const words = await wordsOf({ carriers, log }, { deliveryId, round });
  return inTransaction(pool, async (connection) => {
    const message = 'its Temporal workflow was terminated';
    const ended = { deliveryId, round, reason: 'cancelled', message, words } as const;
    if (!(await endAsDeadLetter(connection, ended))) return false;
    const doer: AuditActor = { ...(await placeOf(connection, deliveryId)), actor: { kind: 'temporal' } };
    await record(connection, doer, { action: 'delivery.cancelled', target: { id: deliveryId } });
    return true;
  });
}

/** The words of the person who ended a delivery in Temporal. Temporal's silence ends the delivery without them. */
export async function wordsOf(
  { carriers, log }: Pick<CancelDependencies, 'carriers' | 'log'>,
  { deliveryId, round }: { deliveryId: string; round: number },
): Promise<string | undefined> {
  try {
    return await carriers.whyEnded(deliveryWorkflowId(deliveryId, round));
  } catch (failure) {
    log.warn({ err: failure, deliveryId }, 'Temporal did not say why a delivery was ended there; it ends all the same');
    return undefined;
  }
}

async function placeOf(connection: PoolClient, deliveryId: string): Promise<Omit<AuditActor, 'actor'>> {
  const { rows } = await connection.query<Omit<AuditActor, 'actor'>>(PLACE, [deliveryId]);
  const [place] = rows;
  if (place === undefined) throw new Error(`Delivery ${deliveryId} has no environment`);
  return place;
}
