import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleOptions } from '@temporalio/client';
import { scheduleIdOf, type ScheduledRunInput } from '../../kernel/contract/run-workflow.ts';
import { WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import { messageOf } from '../../kernel/errors.ts';
import { GRPC_STATUS, grpcStatusOf } from '../../platform/temporal/grpc-status.ts';

/** Times on one UTC day: every minute listed, in every hour listed. `month` is 1 to 12. */
type UtcCalendar = { year: number; month: number; day: number; hours: readonly number[]; minutes: readonly number[] };

/**
 * A schedule as Temporal should have it. Times in ms. It occurs every `everyMs`, counted from 1970, or at the times of
 * `calendars`.
 */
type WantedSchedule = ScheduledRunInput & {
  name: string;
  everyMs?: number;
  calendars: readonly UtcCalendar[];
  overlap: 'skip' | 'bufferOne' | 'bufferAll' | 'cancelOther' | 'terminateOther' | 'allowAll';
  jitterMs?: number;
  catchupWindowMs: number;
  startAt?: string;
  endAt?: string;
};

/**
 * `refused`: why Temporal refused the schedule. `later`: one of its times is imminent, and a change could make Temporal
 * skip it.
 */
type Put = 'done' | 'later' | { refused: string };

/**
 * Manages the schedules of workflows in Temporal. All methods can be repeated, and throw if Temporal is unreachable.
 */
export type Schedules = {
  /** Creates or updates the schedule. */
  put(wanted: WantedSchedule): Promise<Put>;
  /**
   * Adds further times without other changes, and creates the schedule if it is missing. Temporal skips times before a
   * change, so this waits while a time is imminent or still has to be caught up.
   */
  topUp(wanted: WantedSchedule): Promise<Put>;
  remove(workflowId: string): Promise<void>;
};

// A change takes some milliseconds, and Temporal may be slow.
const CALM_MS = 5_000;
const DEADLINE_MS = 5_000;
// Temporal rejects summaries of more than 200 bytes.
const SUMMARY_LENGTH = 60;

const OVERLAP = {
  skip: 'SKIP',
  bufferOne: 'BUFFER_ONE',
  bufferAll: 'BUFFER_ALL',
  cancelOther: 'CANCEL_OTHER',
  terminateOther: 'TERMINATE_OTHER',
  allowAll: 'ALLOW_ALL',
} as const;

export function createSchedules(
  client: Client,
  { taskQueue, clock }: { taskQueue: string; clock: () => Date },
): Schedules {
  const within = <T>(work: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + DEADLINE_MS, work);
  /** Returns false if it already exists. */
  const create = async (options: ReturnType<typeof optionsOf>): Promise<boolean> => {
    try {
      await within(() => client.schedule.create(options));
      return true;
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return false;
      throw error;
    }
  };
  return {
    async put(wanted) {
      const options = optionsOf(wanted, taskQueue);
      const { scheduleId, ...parts } = options;
      return unlessRefused(async () => {
        if (await create(options)) return 'done';
        await within(() =>
          client.schedule
            .getHandle(scheduleId)
            .update(({ state }) => ({ ...parts, state: { ...state, paused: false } })),
        );
        return 'done';
      });
    },
    async topUp(wanted) {
      const options = optionsOf(wanted, taskQueue);
      const { scheduleId, ...parts } = options;
      const handle = client.schedule.getHandle(scheduleId);
      return unlessRefused(async () => {
        try {
          const [next] = (await within(() => handle.describe())).info.nextActionTimes;
          if (next !== undefined && next.getTime() < clock().getTime() + CALM_MS) return 'later';
          await within(() => handle.update(({ state }) => ({ ...parts, state })));
        } catch (error) {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
          await create(options);
        }
        return 'done';
      });
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

async function unlessRefused(work: () => Promise<Put>): Promise<Put> {
  try {
    return await work();
  } catch (error) {
    if (grpcStatusOf(error) === GRPC_STATUS.invalidArgument) return { refused: reasonOf(error) };
    throw error;
  }
}

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;

function optionsOf(wanted: WantedSchedule, taskQueue: string) {
  const { workflowId, name, everyMs, calendars, jitterMs, startAt, endAt } = wanted;
  const scheduleId = scheduleIdOf(workflowId);
  return {
    scheduleId,
    spec: {
      ...(everyMs !== undefined && { intervals: [{ every: everyMs }] }),
      calendars: calendars.map(({ year, month, day, hours, minutes }) => ({
        year,
        month: MONTHS[month - 1] ?? 'JANUARY',
        dayOfMonth: day,
        hour: rangesOf(hours),
        minute: rangesOf(minutes),
      })),
      ...(jitterMs !== undefined && { jitter: jitterMs }),
      ...(startAt !== undefined && { startAt: new Date(startAt) }),
      ...(endAt !== undefined && { endAt: new Date(endAt) }),
    },
    policies: { overlap: OVERLAP[wanted.overlap], catchupWindow: wanted.catchupWindowMs },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.runScheduled,
      // Temporal appends the time to it.
      workflowId: scheduleId,
      taskQueue,
      args: [{ workflowId }] satisfies [ScheduledRunInput],
      staticSummary: name.slice(0, SUMMARY_LENGTH),
    },
  } satisfies ScheduleOptions;
}

/** Compresses ascending numbers to ranges: "every 15 minutes" is one range with step 15. */
function rangesOf(values: readonly number[]): { start: number; end: number; step: number }[] {
  const ranges: { start: number; end: number; step: number }[] = [];
  for (const value of values) {
    const last = ranges.at(-1);
    // A range with one value can have any step.
    if (last !== undefined && last.start === last.end) Object.assign(last, { end: value, step: value - last.start });
    else if (last !== undefined && value === last.end + last.step) last.end = value;
    else ranges.push({ start: value, end: value, step: 1 });
  }
  return ranges;
}

const reasonOf = (error: unknown): string =>
  messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
