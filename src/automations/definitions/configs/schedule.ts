import { z } from 'zod';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { CronProblem, parseCron } from './cron.ts';
import { duration } from './fields.ts';
import type { Trigger } from './planned.ts';
import { timesOf } from './schedule-times.ts';
import { canonicalTimeZone } from './time-zone.ts';

const OVERLAPS = ['skip', 'bufferOne', 'bufferAll', 'cancelOther', 'terminateOther', 'allowAll'] as const;

/** Default of `catchupWindow` in ms. Times missed for longer than this, while Temporal was down, are skipped. */
const CATCHUP_MS = 600_000;

/** Returns why a cron expression is not valid; undefined if it is. */
function cronProblem(text: string): string | undefined {
  try {
    parseCron(text);
    return undefined;
  } catch (failure) {
    if (failure instanceof CronProblem) return failure.message;
    throw failure;
  }
}

/** One expression, or several whose times are combined. */
const EITHER = 'must be an expression such as "0 9 * * 1-5", or an array of up to 20 of them';
const crons = z
  .union([z.string(), z.array(z.string()).min(1).max(20)], EITHER)
  .transform((given, context): string[] => {
    const list = [given].flat();
    for (const [index, text] of list.entries()) {
      const message = cronProblem(text);
      const path = typeof given === 'string' ? [] : [index];
      if (message !== undefined) context.addIssue({ code: 'custom', message, path });
    }
    return list;
  });

const timezone = z.string().transform((given, context): string => {
  const name = canonicalTimeZone(given);
  if (name !== undefined) return name;
  context.addIssue({ code: 'custom', message: 'must be a time zone (e.g. "Europe/Berlin")' });
  return z.NEVER;
});

const instant = z.iso.datetime({ offset: true });

/** The schema of a schedule with these rules for expressions and time zone. */
const formOf = <Rules extends { cron: z.ZodType<string[]>; timezone: z.ZodType<string, string> }>({
  cron,
  timezone: zone,
}: Rules) =>
  z
    .strictObject({
      cron: cron.exactOptional(),
      every: duration({ min: 60_000, max: WORKFLOW_BOUNDS.waitMs }).exactOptional(),
      timezone: zone.default('UTC'),
      overlap: z.enum(OVERLAPS).default('skip'),
      jitter: duration({ min: 0, max: 3_600_000 }).exactOptional(),
      catchupWindow: duration({ min: 10_000, max: WORKFLOW_BOUNDS.waitMs }).default(CATCHUP_MS),
      startAt: instant.exactOptional(),
      endAt: instant.exactOptional(),
      payload: z.record(z.string(), z.unknown()).default({}),
    })
    .refine(
      (given) => (given.cron === undefined) !== (given.every === undefined),
      'must have exactly one of cron and every',
    )
    .refine(
      ({ startAt, endAt }) => startAt === undefined || endAt === undefined || Date.parse(startAt) < Date.parse(endAt),
      { path: ['endAt'], error: 'must be later than startAt' },
    );

/**
 * `config` of a trigger of the type `schedule`. Its times are at least 60 s apart because cron expressions have no
 * seconds.
 */
export const scheduleConfig = formOf({ cron: crons, timezone });

// An earlier release accepted expressions and time zones that are refused today. They must not prevent the rest of a
// definition from being read.
const storedConfig = formOf({
  cron: z.union([z.string(), z.array(z.string())]).transform((given): string[] => [given].flat()),
  timezone: z.string().transform((given) => canonicalTimeZone(given) ?? given),
});

export type ScheduleTrigger = Trigger & { type: 'schedule' };

/**
 * Completes a stored schedule. Its expressions and time zone are parsed where its times are computed (timesOf), which
 * may throw.
 */
export function plannedSchedule(config: unknown): ScheduleTrigger {
  const given = storedConfig.parse(config);
  const { every, jitter, startAt, endAt } = given;
  return {
    type: 'schedule',
    crons: given.cron ?? [],
    ...(every !== undefined && { everyMs: every }),
    timezone: given.timezone,
    overlap: given.overlap,
    ...(jitter !== undefined && { jitterMs: jitter }),
    catchupWindowMs: given.catchupWindow,
    ...(startAt !== undefined && { startAt }),
    ...(endAt !== undefined && { endAt }),
    payload: given.payload,
  };
}

/** Returns the next time of a schedule after `now`, without jitter; undefined if it has ended. */
export function nextTime(schedule: ScheduleTrigger, now: Date): Date | undefined {
  for (const time of timesOf(schedule, now)) return new Date(time);
  return undefined;
}

const scheduleForm = z.object({ type: z.literal('schedule'), config: z.unknown() });

/** Returns why a schedule starts no run after `now`. Empty for other triggers and for invalid schedules. */
export function endProblems(trigger: unknown, now: Date): { field: string; reason: string }[] {
  const { success, data } = scheduleForm.safeParse(trigger);
  if (!success || !scheduleConfig.safeParse(data.config).success) return [];
  if (nextTime(plannedSchedule(data.config), now) !== undefined) return [];
  return [{ field: 'trigger.config.endAt', reason: 'must leave at least one scheduled time in the future' }];
}
