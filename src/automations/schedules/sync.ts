import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type CrashGuard, WorkIsDeadly, WorkPauses } from '../../crashes/crash-guard.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedules } from '../../temporal/schedules.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { deadlyProblem, findScheduled, lockDueSchedule, recordSynced } from './store.ts';

// Schedules that one look tells Temporal of; a lost store brings all of them.
const AT_ONCE = 50;

type SyncDependencies = { pool: Pool; log: Logger; schedules: Schedules; crashes: Pick<CrashGuard, 'during'> };

/**
 * Tells Temporal of workflows whose schedules were changed: activated ones have a schedule there, all others none. To be called now and
 * then; safe in several workers at once. While Temporal is away everything waits, and the next look tells it.
 */
export async function syncSchedules(deps: SyncDependencies): Promise<void> {
  // Undefined where the failure is that of the look itself.
  let workflowId: string | undefined;
  // Processes have died of these; each has its pause.
  const paused: string[] = [];
  const onDue = (due: string): void => {
    workflowId = due;
  };
  try {
    for (let told = 0; told < AT_ONCE; told += 1) {
      workflowId = undefined;
      try {
        if (!(await syncOne(deps, paused, onDue))) return;
      } catch (failure) {
        if (!(failure instanceof WorkPauses) || workflowId === undefined) throw failure;
        paused.push(workflowId);
      }
    }
  } catch (failure) {
    deps.log.warn({ err: failure, workflowId }, 'Temporal was not told of a schedule; the next look tells it');
  }
}

/** The row stays locked meanwhile, so that two workers never tell it two revisions in the wrong order. */
const syncOne = (
  { pool, log, schedules, crashes }: SyncDependencies,
  except: readonly string[],
  onDue: (workflowId: string) => void,
): Promise<boolean> =>
  inTransaction(pool, async (connection) => {
    const due = await lockDueSchedule(connection, except);
    if (due === undefined) return false;
    const { workflowId } = due;
    onDue(workflowId);
    const tell = async (): Promise<string | undefined> => {
      const found = await findScheduled(connection, workflowId);
      const trigger = found === undefined ? undefined : planOf(JSON.parse(found.trigger), []).trigger;
      if (found !== undefined && trigger?.type === 'schedule')
        return schedules.put({ ...trigger, workflowId, name: found.name });
      if (found === undefined) await schedules.remove(workflowId);
      return undefined;
    };
    const work = { kind: 'schedule', id: workflowId, part: `sync ${due.revision}` } as const;
    const problem = await crashes.during(work, tell).catch(async (failure: unknown) => {
      if (!(failure instanceof WorkIsDeadly)) throw failure;
      // One of an earlier revision would go on beginning runs.
      await schedules.remove(workflowId);
      return deadlyProblem(failure);
    });
    if (problem !== undefined)
      log.error({ workflowId, problem }, 'a schedule is refused, whose workflow begins no run until it is changed');
    await recordSynced(connection, { ...due, problem });
    return true;
  });
