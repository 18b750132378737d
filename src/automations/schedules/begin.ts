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

// Temporal cuts summaries at 200 bytes; a longer one is refused.
const SUMMARY_LENGTH = 60;

/**
 * Records the run of one time of a schedule. The same run however often it is asked for. Null, and the schedule is removed, where its
 * workflow is gone, not active, or has another trigger by now. Null as well while its app is suspended: that time has no run.
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

/** The same, for a schedule that processes may have died of. Behind the third death it is removed, and WorkIsDeadly is thrown. */
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

/** The payload's own text in a stored trigger. */
function payloadIn(trigger: string): string {
  const config = memberSpan(trigger, wholeSpan(trigger), 'config');
  const payload = config && memberSpan(trigger, config, 'payload');
  return payload === undefined ? '{}' : trigger.slice(payload.start, payload.end);
}
