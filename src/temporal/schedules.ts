import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleOptions } from '@temporalio/client';
import type { runScheduled } from '../../workflows/runs/run-scheduled.ts';
import { scheduleIdOf, type ScheduledRunInput } from '../contract/scheduled-runs.ts';
import { WORKFLOW_TYPES } from '../contract/temporal-names.ts';
import { messageOf } from '../kernel/errors/message-of.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';

/** A schedule as Temporal is to have it. Times in ms. */
type WantedSchedule = ScheduledRunInput & {
  name: string;
  crons: readonly string[];
  everyMs?: number;
  timezone: string;
  overlap: 'skip' | 'bufferOne' | 'bufferAll' | 'cancelOther' | 'terminateOther' | 'allowAll';
  jitterMs?: number;
  catchupWindowMs: number;
  startAt?: string;
  endAt?: string;
};

/** The schedules of workflows in Temporal. Both may be repeated, and throw when Temporal is out of reach. */
export type Schedules = {
  /** Makes it, or changes it in its place. Returns what Temporal has against it; undefined where nothing. */
  put(wanted: WantedSchedule): Promise<string | undefined>;
  remove(workflowId: string): Promise<void>;
};

const DEADLINE_MS = 5_000;
// Temporal cuts summaries at 200 bytes; a longer one is refused.
const SUMMARY_LENGTH = 60;

const OVERLAP = {
  skip: 'SKIP',
  bufferOne: 'BUFFER_ONE',
  bufferAll: 'BUFFER_ALL',
  cancelOther: 'CANCEL_OTHER',
  terminateOther: 'TERMINATE_OTHER',
  allowAll: 'ALLOW_ALL',
} as const;

export function createSchedules(client: Client, { taskQueue }: { taskQueue: string }): Schedules {
  const within = <T>(work: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + DEADLINE_MS, work);
  return {
    async put(wanted) {
      const options = optionsOf(wanted, taskQueue);
      const { scheduleId, ...parts } = options;
      try {
        await within(() => client.schedule.create(options));
        return undefined;
      } catch (error) {
        if (grpcStatusOf(error) === GRPC_STATUS.invalidArgument) return reasonOf(error);
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      }
      try {
        await within(() =>
          client.schedule
            .getHandle(scheduleId)
            .update(({ state }) => ({ ...parts, state: { ...state, paused: false } })),
        );
        return undefined;
      } catch (error) {
        if (grpcStatusOf(error) === GRPC_STATUS.invalidArgument) return reasonOf(error);
        throw error;
      }
    },
    async remove(workflowId) {
      try {
        await within(() => client.schedule.getHandle(scheduleIdOf(workflowId)).delete());
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      }
    },
  };
}

function optionsOf(wanted: WantedSchedule, taskQueue: string) {
  const { workflowId, name, crons, everyMs, timezone, jitterMs, startAt, endAt } = wanted;
  const scheduleId = scheduleIdOf(workflowId);
  return {
    scheduleId,
    spec: {
      cronExpressions: [...crons],
      ...(everyMs !== undefined && { intervals: [{ every: everyMs }] }),
      timezone,
      ...(jitterMs !== undefined && { jitter: jitterMs }),
      ...(startAt !== undefined && { startAt: new Date(startAt) }),
      ...(endAt !== undefined && { endAt: new Date(endAt) }),
    },
    policies: { overlap: OVERLAP[wanted.overlap], catchupWindow: wanted.catchupWindowMs },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.runScheduled,
      // Temporal puts the time behind it.
      workflowId: scheduleId,
      taskQueue,
      args: [{ workflowId }] satisfies Parameters<typeof runScheduled>,
      staticSummary: name.slice(0, SUMMARY_LENGTH),
    },
  } satisfies ScheduleOptions;
}

const reasonOf = (error: unknown): string =>
  messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
