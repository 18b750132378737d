import type { Pool } from 'pg';
import {
  DEADLY_PATIENCE_MS,
  type BegunScheduledRun,
  type ScheduledRunInput,
} from '../../kernel/contract/run-workflow.ts';
import { type CrashGuard, WorkIsDeadly } from '../../platform/crashes/crash-guard.ts';
import { memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';
import type { NewId } from '../../platform/new-id.ts';
import type { Schedules } from './temporal-schedules.ts';
import { deadlyProblem, findScheduled, insertScheduledRun, recordDeadly } from './store.ts';

export type ScheduledRunDependencies = {
  pool: Pool;
  newId: NewId;
  isSearchable: () => boolean;
  schedules: Pick<Schedules, 'remove'>;
};

// Temporal rejects summaries of more than 200 bytes.
const SUMMARY_LENGTH = 60;

/**
 * Records the run of one scheduled time, or returns the existing one. Returns null, and removes the schedule, if its
 * workflow no longer exists, is not active, or has another trigger. Returns null, without removing it, while the app is
 * suspended: that time has no run.
 */
export async function beginScheduledRun(
  { pool, newId, isSearchable, schedules }: ScheduledRunDependencies,
  { workflowId, scheduledAt }: ScheduledRunInput & { scheduledAt: string },
): Promise<BegunScheduledRun> {
  const found = await findScheduled(pool, workflowId);
  if (found === undefined) {
    await schedules.remove(workflowId);
    return null;
  }
  if (found.isAppSuspended) return null;
  const { environmentId, version, name, trigger } = found;
  const runId = await insertScheduledRun(pool, {
    id: newId('run'),
    environmentId,
    workflowId,
    version,
    input: payloadIn(trigger),
    scheduledAt,
  });
  return {
    run: { runId, round: 1 },
    summary: `${name.slice(0, SUMMARY_LENGTH)} ← schedule`,
    attributes: isSearchable()
      ? { PosthornEnvironment: environmentId, PosthornWorkflow: workflowId, PosthornState: 'running' }
      : {},
  };
}

export type GuardedDependencies = ScheduledRunDependencies & { crashes: Pick<CrashGuard, 'during'> };

/**
 * Like `beginScheduledRun`, for a schedule that may crash processes. After the third crash the schedule is removed and
 * WorkIsDeadly is thrown.
 */
export async function beginGuarded(
  deps: GuardedDependencies,
  input: ScheduledRunInput & { scheduledAt: string },
): Promise<BegunScheduledRun> {
  const { workflowId: id } = input;
  const work = { kind: 'schedule', id, part: 'begin', patienceMs: DEADLY_PATIENCE_MS } as const;
  try {
    return await deps.crashes.during(work, () => beginScheduledRun(deps, input));
  } catch (failure) {
    if (failure instanceof WorkIsDeadly) {
      await deps.schedules.remove(id);
      await recordDeadly(deps.pool, id, deadlyProblem(failure));
    }
    throw failure;
  }
}

/** Returns the payload's own text in a stored trigger. */
function payloadIn(trigger: string): string {
  const config = memberSpan(trigger, wholeSpan(trigger), 'config');
  const payload = config && memberSpan(trigger, config, 'payload');
  return payload === undefined ? '{}' : trigger.slice(payload.start, payload.end);
}
