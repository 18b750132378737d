import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isUnreachable } from '../../platform/db/failures.ts';
import { type CrashGuard, WorkIsDeadly, WorkPauses } from '../../platform/crashes/crash-guard.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import type { Clock } from '../../platform/dependencies.ts';
import { messageOf } from '../../kernel/errors.ts';
import { GRPC_STATUS, grpcStatusOf } from '../../platform/temporal/grpc-status.ts';
import type { Schedules } from './temporal-schedules.ts';
import type { ScheduleTrigger } from '../definitions/configs/schedule.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { unreadable, type Upcoming, upcomingOf } from './calendars.ts';
import {
  deadlyProblem,
  type DueSchedule,
  findScheduled,
  lockDueSchedule,
  recordSynced,
  recordUntold,
} from './store.ts';

// Schedules synchronised per poll; after the loss of Temporal's store all of them are due.
const AT_ONCE = 50;

type SyncDependencies = {
  pool: Pool;
  log: Logger;
  clock: Clock;
  schedules: Schedules;
  crashes: Pick<CrashGuard, 'during'>;
};

/**
 * Synchronises changed schedules with Temporal: active workflows have a schedule there, others have none. Schedules
 * whose times run out get further ones. Call it regularly; several workers can do so at the same time. While Temporal
 * is down everything waits for the next poll. A schedule that fails is skipped, and its workflow shows why.
 */
export async function syncSchedules(deps: SyncDependencies): Promise<void> {
  const seen: string[] = [];
  try {
    while (seen.length < AT_ONCE) {
      const ends = await syncOne(deps, seen);
      if (ends === undefined) return;
      const { workflowId, failure } = ends;
      seen.push(workflowId);
      // Work that crashed a process is paused; the next poll tries it again.
      if (failure === undefined || failure instanceof WorkPauses) continue;
      deps.log.warn(
        { err: failure, workflowId },
        'could not synchronise a schedule with Temporal; the next poll tries again',
      );
      const isAway = AWAY.has(grpcStatusOf(failure));
      const problem = `the last change has not been sent to Temporal yet: ${messageOf(failure)}`;
      await recordUntold(deps.pool, problem, isAway ? undefined : workflowId);
      if (isAway) return;
    }
  } catch (failure) {
    deps.log.warn({ err: failure }, 'could not read changed schedules; the next poll tries again');
  }
}

// With these statuses other schedules would fail, too.
const AWAY: ReadonlySet<unknown> = new Set([
  GRPC_STATUS.unavailable,
  GRPC_STATUS.deadlineExceeded,
  GRPC_STATUS.cancelled,
]);

/**
 * Synchronises one schedule; returns undefined if none is due. The row stays locked, so that two workers never send two
 * revisions in the wrong order.
 */
const syncOne = (
  deps: SyncDependencies,
  seen: readonly string[],
): Promise<{ workflowId: string; failure?: unknown } | undefined> =>
  inTransaction(deps.pool, async (connection) => {
    const due = await lockDueSchedule(connection, seen);
    if (due === undefined) return undefined;
    const { workflowId } = due;
    const found = await findScheduled(connection, workflowId);
    try {
      const work = { kind: 'schedule', id: workflowId, part: `sync ${due.revision}` } as const;
      const told = await deps.crashes
        .during(work, () => tell(deps, due, found))
        .catch((failure: unknown) => giveUp(deps, workflowId, failure));
      if (told !== 'later') await recordSynced(connection, { ...due, ...told });
      return { workflowId };
    } catch (failure) {
      if (isUnreachable(failure)) throw failure;
      return { workflowId, failure };
    }
  });

type Told = { problem: string | undefined; topUpAt: Date | undefined };
const NOTHING_AGAINST = { problem: undefined, topUpAt: undefined };

/**
 * Removes a schedule whose times crashed processes from Temporal, where an earlier revision would continue to start
 * runs.
 */
async function giveUp({ log, schedules }: SyncDependencies, workflowId: string, failure: unknown): Promise<Told> {
  if (!(failure instanceof WorkIsDeadly)) throw failure;
  await schedules.remove(workflowId);
  const problem = deadlyProblem(failure);
  log.error(
    { workflowId, problem },
    'gave up a schedule that crashed processes; its workflow starts no runs until its trigger is changed',
  );
  return { problem, topUpAt: undefined };
}

async function tell(
  { log, clock, schedules }: SyncDependencies,
  { workflowId, isTopUp }: DueSchedule,
  found: Awaited<ReturnType<typeof findScheduled>>,
): Promise<Told | 'later'> {
  if (found === undefined) {
    await schedules.remove(workflowId);
    return NOTHING_AGAINST;
  }
  const refused = (problem: string): Told => {
    log.error(
      { workflowId, problem },
      'Temporal refused a schedule; its workflow starts no runs until its trigger is changed',
    );
    return { problem, topUpAt: undefined };
  };
  const now = clock();
  const read = readSchedule(found.trigger, now);
  if (typeof read === 'string') return refused(read);
  const { schedule, calendars, until } = read;
  const put = await (isTopUp ? schedules.topUp : schedules.put)({
    ...schedule,
    calendars,
    workflowId,
    name: found.name,
  });
  if (put === 'later') return 'later';
  if (put !== 'done') return refused(put.refused);
  // Topped up at half of the time, so that the schedule continues for the other half without a worker.
  const topUpAt = until === undefined ? undefined : new Date((now.getTime() + until) / 2);
  return { problem: undefined, topUpAt };
}

/** Returns the schedule of a stored trigger with its next times, or why it cannot be read. */
function readSchedule(trigger: string, now: Date): (Upcoming & { schedule: ScheduleTrigger }) | string {
  try {
    const schedule = planOf(JSON.parse(trigger), []).trigger;
    if (schedule.type !== 'schedule') return 'The trigger is not a schedule';
    // Intervals need no calendars because Temporal also counts them from 1970.
    return { schedule, ...(schedule.everyMs === undefined ? upcomingOf(schedule, now) : { calendars: [] }) };
  } catch (failure) {
    return unreadable(failure);
  }
}
