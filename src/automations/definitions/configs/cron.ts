/** A parsed cron expression: the minutes and hours, ascending, and the days on which they apply. Sunday is 0. */
export type Cron = {
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: ReadonlySet<number>;
  months: ReadonlySet<number>;
  daysOfWeek: ReadonlySet<number>;
};

/** Maximum length. All 60 minutes, listed individually, take 169 characters, and no useful list is longer. */
const MAX_CRON_LENGTH = 500;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Days of each month in a leap year. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type Field = { name: string; min: number; max: number; names?: readonly string[] };
const MINUTE: Field = { name: 'minute', min: 0, max: 59 };
const HOUR: Field = { name: 'hour', min: 0, max: 23 };
const DAY_OF_MONTH: Field = { name: 'day of month', min: 1, max: 31 };
const MONTH: Field = { name: 'month', min: 1, max: 12, names: MONTHS };
// 7 is also Sunday, so that a range can end with it.
const DAY_OF_WEEK: Field = { name: 'day of week', min: 0, max: 7, names: DAYS };

// Lists, ranges, steps and English names: the syntax that every cron implementation interprets the same way.
const PART = /^(?:\*|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,2}))?$/i;
const FORM =
  'must be a cron expression of five fields: minute, hour, day of month, month, day of week (e.g. "0 9 * * 1-5")';

/** Why a text is not a cron expression that ever matches. */
export class CronProblem extends Error {
  override readonly name = 'CronProblem';
}

/**
 * Parses a cron expression of five fields. Throws CronProblem with the reason if it is too long or malformed, names
 * both a day of month and a day of week, or never matches. The cost is bounded by its length.
 */
export function parseCron(text: string): Cron {
  if (text.length > MAX_CRON_LENGTH) throw new CronProblem(`must have at most ${MAX_CRON_LENGTH} characters`);
  const [minute, hour, dayOfMonth, month, dayOfWeek, more] = text.split(' ');
  if (
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined ||
    more !== undefined
  )
    throw new CronProblem(FORM);
  const cron = {
    minutes: [...valuesOf(minute, MINUTE)].toSorted((a, b) => a - b),
    hours: [...valuesOf(hour, HOUR)].toSorted((a, b) => a - b),
    daysOfMonth: valuesOf(dayOfMonth, DAY_OF_MONTH),
    months: valuesOf(month, MONTH),
    daysOfWeek: new Set([...valuesOf(dayOfWeek, DAY_OF_WEEK)].map((day) => day % 7)),
  };
  // Some implementations match either day, others only days that are both.
  if (dayOfMonth !== '*' && dayOfWeek !== '*')
    throw new CronProblem('must leave day of month or day of week at *; use two expressions for both');
  const earliest = Math.min(...cron.daysOfMonth);
  if (![...cron.months].some((each) => earliest <= (LONGEST[each - 1] ?? 0)))
    throw new CronProblem('must match at least one date');
  return cron;
}

function valuesOf(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const match = PART.exec(part);
    if (match === null) throw new CronProblem(FORM);
    const [, first, last, step] = match;
    const by = step === undefined ? 1 : Number(step);
    if (by === 0) throw new CronProblem(`is not a valid cron expression: a step of ${field.name} must be at least 1`);
    const from = first === undefined ? field.min : numberOf(first, field);
    // "5/10" continues to the end of the field, as "*/10" does.
    const open = field === DAY_OF_WEEK ? 6 : field.max;
    const to = last !== undefined ? numberOf(last, field) : first === undefined || step !== undefined ? open : from;
    if (to < from)
      throw new CronProblem(`is not a valid cron expression: the range ${part} of ${field.name} runs backwards`);
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

function numberOf(text: string, { name, min, max, names }: Field): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  // The first name is the lowest value.
  const value = named === -1 ? Number(text) : named + min;
  if (!(value >= min && value <= max))
    throw new CronProblem(`is not a valid cron expression: ${text} is not a ${name} from ${min} to ${max}`);
  return value;
}

/** Whether a date (1 to 12, 1 to 31) matches the expression. `dayOfWeek`: 0 to 6, from Sunday. */
export const hasDate = (
  { daysOfMonth, months, daysOfWeek }: Cron,
  { month, day, dayOfWeek }: { month: number; day: number; dayOfWeek: number },
): boolean => months.has(month) && daysOfMonth.has(day) && daysOfWeek.has(dayOfWeek);
