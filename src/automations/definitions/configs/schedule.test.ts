import { expect, test } from '@jest/globals';
import { parseCron } from './cron.ts';
import { timesOf } from './schedule-times.ts';
import { endProblems, nextTime, plannedSchedule, scheduleConfig } from './schedule.ts';

const nextOf = (config: object, now: string): string | undefined =>
  nextTime(plannedSchedule(config), new Date(now))?.toISOString();

test.each([
  ['the next working day', { cron: '0 9 * * 1-5' }, '2026-11-27T09:00:00Z', '2026-11-30T09:00:00.000Z'],
  [
    'its time zone',
    { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
    '2026-07-01T00:00:00Z',
    '2026-07-01T07:00:00.000Z',
  ],
  [
    'the earliest of several',
    { cron: ['0 12 * * *', '0 6 * * *'] },
    '2026-01-01T03:00:00Z',
    '2026-01-01T06:00:00.000Z',
  ],
  ['names', { cron: '0 0 1 jan-mar,DEC *' }, '2026-04-01T00:00:00Z', '2026-12-01T00:00:00.000Z'],
  ['an interval, counted from 1970', { every: '6h' }, '2026-01-01T06:00:00Z', '2026-01-01T12:00:00.000Z'],
  [
    'its beginning',
    { every: '1h', startAt: '2026-05-01T00:00:00Z' },
    '2026-01-01T00:00:00Z',
    '2026-05-01T00:00:00.000Z',
  ],
  ['its end', { every: '1h', endAt: '2026-01-01T00:30:00Z' }, '2026-01-01T00:00:00Z', undefined],
])('the next time follows %s', (_, config, now, next) => {
  expect(nextOf(config, now)).toBe(next);
});

// Old: a time in the gap was shown at another time than it came, or came on no day; one hour of an hourly schedule was lost in autumn.
test.each<[string, object, string, string[]]>([
  [
    'comes an hour later if the clocks skip it',
    { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
    '2027-03-27T00:00:00Z',
    ['2027-03-27T01:30:00.000Z', '2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
  ],
  [
    'comes an hour later if the clocks skip midnight',
    { cron: '0 0 * * *', timezone: 'America/Santiago' },
    '2027-09-04T00:00:00Z',
    ['2027-09-04T04:00:00.000Z', '2027-09-05T04:00:00.000Z', '2027-09-06T03:00:00.000Z'],
  ],
  [
    'comes once if it is also the time of another expression',
    { cron: ['30 2 * * *', '30 3 * * *'], timezone: 'Europe/Berlin' },
    '2027-03-28T00:00:00Z',
    ['2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
  ],
  [
    'comes once a day if the clocks repeat it',
    { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
    '2027-10-30T12:00:00Z',
    ['2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z'],
  ],
  [
    'comes every hour if the clocks repeat one',
    { cron: '0 * * * *', timezone: 'Europe/Berlin' },
    '2027-10-30T23:30:00Z',
    ['2027-10-31T00:00:00.000Z', '2027-10-31T01:00:00.000Z', '2027-10-31T02:00:00.000Z'],
  ],
  [
    'comes every half hour if the clocks change by half an hour',
    { cron: '*/30 * * * *', timezone: 'Australia/Lord_Howe' },
    '2027-04-03T14:15:00Z',
    ['2027-04-03T14:30:00.000Z', '2027-04-03T15:00:00.000Z', '2027-04-03T15:30:00.000Z', '2027-04-03T16:00:00.000Z'],
  ],
  [
    'comes on the next date if the zone skipped its date',
    { cron: '0 9 * * *', timezone: 'Pacific/Apia' },
    '2011-12-29T00:00:00Z',
    ['2011-12-29T19:00:00.000Z', '2011-12-30T19:00:00.000Z', '2011-12-31T19:00:00.000Z'],
  ],
  [
    'accepts the name of the zone in any capitalisation',
    { cron: '0 9 * * *', timezone: 'europe/berlin' },
    '2027-07-01T00:00:00Z',
    ['2027-07-01T07:00:00.000Z'],
  ],
])('a time %s', (_, config, after, times) => {
  const found: string[] = [];
  for (const time of timesOf(plannedSchedule(config), new Date(after))) {
    if (found.length === times.length) break;
    found.push(new Date(time).toISOString());
  }
  expect(found).toEqual(times);
});

test('a step after a number continues to the end of the field, Sunday is 0 and 7, and days and months have names', () => {
  const { minutes, daysOfWeek, months } = parseCron('5/20 */6 * JAN-mar,12 5-7');
  expect(minutes).toEqual([5, 25, 45]);
  expect(daysOfWeek).toEqual(new Set([5, 6, 0]));
  expect([...months]).toEqual([1, 2, 3, 12]);
  expect(parseCron('0 0 * * fri,sun/2').daysOfWeek).toEqual(new Set([5, 0, 2, 4, 6]));
});

// Old: 20 expressions of 3,000 items each took 155 ms.
test('refuses an expression that is too long without parsing it', () => {
  const cron = Array.from({ length: 20 }, () => `${'0,'.repeat(3_000)}0 0 * * *`);
  const { error } = scheduleConfig.safeParse({ cron });
  expect(new Set(error?.issues.map(({ message }) => message))).toEqual(new Set(['must have at most 500 characters']));
});

test.each(['+02:00', '-0800', 'Mars/Olympus', 'GMT+2', '', 'x'.repeat(100_000)])(
  'the time zone %.20s is refused',
  (timezone) => {
    const { error } = scheduleConfig.safeParse({ cron: '0 9 * * *', timezone });
    expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['timezone', 'must be a time zone (e.g. "Europe/Berlin")'],
    ]);
  },
);

test.each([
  ['0 0 * * * *', 'five fields'],
  ['@daily', 'five fields'],
  ['CRON_TZ=UTC 0 0 * * *', 'five fields'],
  ['0 0 L * *', 'five fields'],
  ['0 0 * * 5#2', 'five fields'],
  ['60 0 * * *', 'is not a valid cron expression: 60 is not a minute from 0 to 59'],
  ['0 0 * * 8', 'is not a valid cron expression: 8 is not a day of week from 0 to 7'],
  ['mon 0 * * *', 'is not a valid cron expression: mon is not a minute'],
  ['*/0 0 * * *', 'must be at least 1'],
  ['30-10 0 * * *', 'runs backwards'],
  ['0,,1 0 * * *', 'five fields'],
  ['0  0 * * *', 'five fields'],
  ['0 0 30 2 *', 'must match at least one date'],
  ['0 0 31 2,4,6,9,11 *', 'must match at least one date'],
  ['0 0 1 * 1', 'use two expressions'],
])('%s is refused', (cron, reason) => {
  const { error } = scheduleConfig.safeParse({ cron });
  expect(error?.issues.map(({ message }) => message).join()).toContain(reason);
});

test('reports a schedule that has no time left, but no other trigger', () => {
  const problems = (trigger: unknown): string[] =>
    endProblems(trigger, new Date('2026-11-26T12:00:00Z')).map(({ field }) => field);
  const ended = ['trigger.config.endAt'];
  expect(problems({ type: 'schedule', config: { every: '1h', endAt: '2026-11-26T11:59:59Z' } })).toEqual(ended);
  expect(problems({ type: 'schedule', config: { every: '1h', endAt: '2026-11-26T12:30:00Z' } })).toEqual(ended);
  expect(problems({ type: 'schedule', config: { every: '1h', endAt: '2026-11-26T13:00:00Z' } })).toEqual([]);
  expect(problems({ type: 'schedule', config: { cron: 'never', endAt: '2026-11-26T11:59:59Z' } })).toEqual([]);
  expect(problems({ type: 'event', config: {} })).toEqual([]);
  expect(problems(undefined)).toEqual([]);
});
