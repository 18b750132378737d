import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedules } from '../../temporal/schedules.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { findScheduled, lockDueSchedule, recordSynced } from './store.ts';

// Schedules that one look tells Temporal of; a lost store brings all of them.
const AT_ONCE = 50;

type SyncDependencies = { pool: Pool; log: Logger; schedules: Schedules };

/**
 * Tells Temporal of workflows whose schedules were changed: activated ones have a schedule there, all others none. To be called now and
 * then; safe in several workers at once. While Temporal is away everything waits, and the next look tells it.
 */
export async function syncSchedules(deps: SyncDependencies): Promise<void> {
  // Undefined where the failure is that of the look itself.
  let workflowId: string | undefined;
  const onDue = (due: string): void => {
    workflowId = due;
  };
  try {
    for (let told = 0; told < AT_ONCE; told += 1) {
      workflowId = undefined;
      if (!(await syncOne(deps, onDue))) return;
    }
  } catch (failure) {
    deps.log.warn({ err: failure, workflowId }, 'Temporal was not told of a schedule; the next look tells it');
  }
}

/** The row stays locked meanwhile, so that two workers never tell it two revisions in the wrong order. */
const syncOne = ({ pool, log, schedules }: SyncDependencies, onDue: (workflowId: string) => void): Promise<boolean> =>
  inTransaction(pool, async (connection) => {
    const due = await lockDueSchedule(connection);
    if (due === undefined) return false;
    const { workflowId } = due;
    onDue(workflowId);
    const found = await findScheduled(connection, workflowId);
    let problem: string | undefined;
    if (found === undefined) await schedules.remove(workflowId);
    else {
      const { trigger } = planOf(JSON.parse(found.trigger), []);
      if (trigger.type === 'schedule') problem = await schedules.put({ ...trigger, workflowId, name: found.name });
    }
    if (problem !== undefined)
      log.error(
        { workflowId, problem },
        'Temporal refuses a schedule, whose workflow begins no run until it is changed',
      );
    await recordSynced(connection, { ...due, problem });
    return true;
  });
