import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { wakeWorkers } from '../../../platform/db/waking.ts';
import { leaveAllCarriers, leaveCarrier } from '../../record/statements/release.ts';
import { endOfDeletedSubscriptions } from '../../record/statements/end.ts';
import type { RecordAudit } from '../../../identity/tenancy/audit/record.ts';
import type { CarrierState, Carriers } from '../../../platform/temporal/starts.ts';
import { tellHighBacklogs } from './backlog-events.ts';
import { endAsCancelled } from './ended-in-temporal.ts';
import { takeOverFromDead } from './incarnation.ts';
import type { Paced } from './pace.ts';

// A carried delivery that has not moved this long after its next try was due is looked at.
const OVERDUE_SECONDS = 60;
// Deliveries looked at per pass. The next pass goes on 30 s later.
const OVERDUE_AT_ONCE = 500;
// SQL: the condition of the index of everything unfinished. No other statement may be planned with it.
const UNFINISHED = 'num_nulls(due_at) = 0';

export type Reconciled = { dueAgain: number; cancelled: number };

type Overdue = { id: string; round: number; carrier: string };

// A look reads over everything that was finished since the oldest open snapshot began. A look of more than a second rests thirty
// times as long, beside the passes' 30 s, so it takes a few percent of the time at most.
export const restAfterLook = (tookMs: number): number => (tookMs > 1_000 ? tookMs * 30 : 0);

export type ReconcilerDependencies = {
  pool: Pool;
  carriers: Pick<Carriers, 'stateOf' | 'terminatedDeliveries' | 'whyEnded'>;
  log: Logger;
  /** Writes to the audit log. */
  record: RecordAudit;
  /** Spaces out the looks of one process, by `restAfterLook`. */
  paced: Paced;
  /** Repairs of other parts of the worker. */
  repairs: readonly (() => Promise<void>)[];
};

/**
 * One pass over rows that nobody moves any more: claims of dead workers, deliveries whose Temporal workflow is gone or was terminated,
 * and deliveries that a publish gave to a subscription while it was being deleted. The pass also sends events for backlogs that have
 * become high, and does the repairs of other parts. Safe to repeat, and in several workers at once. `onProgress` is called now and then.
 */
export async function reconcileOverdue(deps: ReconcilerDependencies, onProgress: () => void): Promise<Reconciled> {
  await deps.paced('held', () => takeOverFromDead(deps.pool));
  await deps.paced('deleted', () => endOfDeletedSubscriptions(deps.pool));
  onProgress();
  await deps.paced('backlogs', () => tellHighBacklogs(deps.pool));
  onProgress();
  const done: Reconciled = { dueAgain: 0, cancelled: 0 };
  for (const terminated of await deps.carriers.terminatedDeliveries()) {
    if (await endAsCancelled(deps, terminated)) done.cancelled += 1;
    onProgress();
  }
  const overdues = await deps.paced('overdue', () => findOverdue(deps.pool));
  for (const overdue of overdues ?? []) {
    const state = await deps.carriers.stateOf(overdue.carrier);
    if (await moveOn(deps, overdue, state)) done[state === 'cancelled' ? 'cancelled' : 'dueAgain'] += 1;
    onProgress();
  }
  for (const repair of deps.repairs) await repair();
  if (done.dueAgain > 0) await wakeWorkers(deps.pool);
  if (done.dueAgain + done.cancelled > 0)
    deps.log.info(done, 'the reconciler made deliveries due again, or cancelled them');
  return done;
}

async function findOverdue(pool: Pool): Promise<Overdue[]> {
  const { rows } = await pool.query<Overdue>(
    `SELECT id, round, carrier FROM deliveries
     WHERE due_at < now() - make_interval(secs => $1) AND ${UNFINISHED} AND carrier IS NOT NULL AND holder IS NULL
     ORDER BY due_at LIMIT $2`,
    [OVERDUE_SECONDS, OVERDUE_AT_ONCE],
  );
  return rows;
}

async function moveOn(deps: ReconcilerDependencies, overdue: Overdue, state: CarrierState): Promise<boolean> {
  switch (state) {
    case 'running':
      return false;
    case 'cancelled':
      return endAsCancelled(deps, { deliveryId: overdue.id, round: overdue.round });
    case 'gone':
      return leaveCarrier(deps.pool, overdue);
    default:
      return state satisfies never;
  }
}

/**
 * Temporal's store is new (lost, or another cluster) and knows no earlier carrier. Every unfinished delivery is due again in its
 * next round, at its own time. Tries of an old cluster that still runs find another round and send nothing.
 */
export async function abandonCarriers(pool: Pool): Promise<number> {
  const dueAgain = await leaveAllCarriers(pool);
  await wakeWorkers(pool);
  return dueAgain;
}
