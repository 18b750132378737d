import type { Database } from '../db/client.ts';
import type { Delivery as DeliveryRow, Subscription as SubscriptionRow } from '../db/generated/client.ts';
import { nextRetryOfHeld } from '../shared/held-by-circuit.ts';
import { policyEndsAt } from '../shared/retry-policy.ts';

type Circuit = Pick<
  SubscriptionRow,
  'circuitOpenedAt' | 'circuitProbeAt' | 'circuitProbeFailedAt' | 'timeoutMs' | 'resumedAt'
>;

/**
 * These deliveries with the nextRetryAt that is true now: what waits for a circuit is tried at its probe at the earliest, however
 * often that is put off. A try that may be under way keeps its own time: it meets no circuit any more.
 */
export async function withNextRetries(db: Database, rows: DeliveryRow[]): Promise<DeliveryRow[]> {
  const waiting = new Set(rows.filter((row) => row.dueAt !== null).map((row) => row.subscriptionId));
  if (waiting.size === 0) return rows;
  const circuits = await db.subscription.findMany({
    where: { id: { in: [...waiting] }, status: 'active', circuitProbeAt: { not: null } },
    select: {
      id: true,
      circuitOpenedAt: true,
      circuitProbeAt: true,
      circuitProbeFailedAt: true,
      timeoutMs: true,
      resumedAt: true,
    },
  });
  const now = new Date();
  const circuitOf = new Map(circuits.map((circuit) => [circuit.id, circuit]));
  return rows.map((row) => {
    const circuit = circuitOf.get(row.subscriptionId);
    return circuit === undefined ? row : { ...row, nextRetryAt: nextRetryOf(row, circuit, now) };
  });
}

function nextRetryOf(row: DeliveryRow, circuit: Circuit, now: Date): Date | null {
  const { circuitOpenedAt: openedAt, circuitProbeAt: probeAt, circuitProbeFailedAt: probeFailedAt } = circuit;
  const isUnderWay = (row.holder !== null || row.carrier !== null) && row.dueAt !== null && row.dueAt <= now;
  if (row.dueAt === null || isUnderWay || openedAt === null || probeAt === null) return row.nextRetryAt;
  const { resumedAt, timeoutMs } = circuit;
  const startedAt = resumedAt !== null && resumedAt > row.policyStartedAt ? resumedAt : row.policyStartedAt;
  const held = {
    policyEndsAt: policyEndsAt(row, startedAt, timeoutMs),
    dueAt: row.dueAt,
    policyAttempts: row.policyAttempts,
  };
  return nextRetryOfHeld(held, { openedAt, probeAt, probeFailedAt });
}
