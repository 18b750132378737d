import { Cron } from 'croner';
import { z } from 'zod';
import { WORKFLOW_BOUNDS } from '../../../contract/run-outline.ts';
import { duration } from './fields.ts';
import type { Trigger } from './planned.ts';

const OVERLAPS = ['skip', 'bufferOne', 'bufferAll', 'cancelOther', 'terminateOther', 'allowAll'] as const;

/** Default of `catchupWindow`, ms: a time that was missed for longer, while Temporal was away, is left out. */
const CATCHUP_MS = 600_000;

// Temporal and everybody's crontab mean the same by these: five fields, lists, ranges and steps, and English names.
const NAME = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)';
const ITEM = `(?:\\*|(?:\\d{1,2}|${NAME})(?:-(?:\\d{1,2}|${NAME}))?)(?:/\\d{1,2})?`;
const FIELDS = new RegExp(`^${ITEM}(?:,${ITEM})*(?: ${ITEM}(?:,${ITEM})*){4}$`, 'i');

/** Why a cron expression cannot be taken; undefined when it can. */
function cronProblem(text: string): string | undefined {
  if (!FIELDS.test(text))
    return 'is no cron expression of five fields: minute, hour, day of month, month, day of week (e.g. "0 9 * * 1-5")';
  const [, , dayOfMonth, , dayOfWeek] = text.split(' ');
  // A crontab takes either day then, and Temporal takes days that are both.
  if (dayOfMonth !== '*' && dayOfWeek !== '*')
    return 'must leave day of month or day of week at *; use two expressions for both';
  try {
    return nextOf(text, 'UTC', new Date()) === undefined ? 'never comes' : undefined;
  } catch (failure) {
    return `is no cron expression: ${failure instanceof Error ? failure.message.replace(/^CronPattern: /, '') : ''}`;
  }
}

/** The first time of a cron expression after `from`; undefined where there is none. Throws for one that is none. */
const nextOf = (text: string, timezone: string, from: Date): Date | undefined =>
  new Cron(text, { paused: true, mode: '5-part', timezone }).nextRun(from) ?? undefined;

/** One expression, or several whose times come together. */
const EITHER = 'must be an expression such as "0 9 * * 1-5", or a list of up to 20 of them';
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

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const instant = z.iso.datetime({ offset: true });

/** `config` of a trigger of the type `schedule`. Its times are at least 60 s apart: a cron expression has no seconds. */
export const scheduleConfig = z
  .strictObject({
    cron: crons.exactOptional(),
    every: duration({ min: 60_000, max: WORKFLOW_BOUNDS.waitMs }).exactOptional(),
    timezone: z.string().refine(isTimeZone, 'is no time zone (e.g. "Europe/Berlin")').default('UTC'),
    overlap: z.enum(OVERLAPS).default('skip'),
    jitter: duration({ min: 0, max: 3_600_000 }).exactOptional(),
    catchupWindow: duration({ min: 10_000, max: WORKFLOW_BOUNDS.waitMs }).default(CATCHUP_MS),
    startAt: instant.exactOptional(),
    endAt: instant.exactOptional(),
    payload: z.record(z.string(), z.unknown()).default({}),
  })
  .refine((given) => (given.cron === undefined) !== (given.every === undefined), 'must hold one of cron and every')
  .refine(
    ({ startAt, endAt }) => startAt === undefined || endAt === undefined || Date.parse(startAt) < Date.parse(endAt),
    { path: ['endAt'], error: 'must be later than startAt' },
  );

export type ScheduleTrigger = Trigger & { type: 'schedule' };

export function plannedSchedule(config: unknown): ScheduleTrigger {
  const given = scheduleConfig.parse(config);
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

/** The next time of a schedule after `now`, without its jitter; undefined where it has ended. */
export function nextTime({ crons, everyMs, timezone, startAt, endAt }: ScheduleTrigger, now: Date): Date | undefined {
  const from = new Date(Math.max(now.getTime(), startAt === undefined ? 0 : Date.parse(startAt) - 1));
  const times = crons.flatMap((text) => nextOf(text, timezone, from) ?? []);
  // Temporal counts intervals from 1970.
  if (everyMs !== undefined) times.push(new Date((Math.floor(from.getTime() / everyMs) + 1) * everyMs));
  const [next] = times.toSorted((a, b) => a.getTime() - b.getTime());
  return next === undefined || (endAt !== undefined && next.getTime() > Date.parse(endAt)) ? undefined : next;
}

const scheduleForm = z.object({ type: z.literal('schedule'), config: z.unknown() });

/** Why a schedule, as its author wrote it, begins no run after `now`. Nothing for other triggers, and for one that is no good schedule. */
export function endProblems(trigger: unknown, now: Date): { field: string; reason: string }[] {
  const { success, data } = scheduleForm.safeParse(trigger);
  if (!success || !scheduleConfig.safeParse(data.config).success) return [];
  if (nextTime(plannedSchedule(data.config), now) !== undefined) return [];
  return [
    { field: 'trigger.config.endAt', reason: 'leaves the schedule no time: it has passed, or no time comes before it' },
  ];
}
