import { expect, test } from '@jest/globals';
import { plannedSchedule } from '../definitions/configs/schedule.ts';
import { timesOf } from '../definitions/configs/schedule-times.ts';
import { type UtcCalendar, upcomingOf } from './calendars.ts';

const NOW = new Date('2027-03-20T12:34:56Z');
const DAY_MS = 86_400_000;

const timesIn = (calendars: readonly UtcCalendar[]): number[] =>
  calendars
    .flatMap(({ year, month, day, hours, minutes }) =>
      hours.flatMap((hour) => minutes.map((minute) => Date.UTC(year, month - 1, day, hour, minute))),
    )
    .toSorted((a, b) => a - b);

test.each([
  ['every minute', { cron: '* * * * *', timezone: 'Europe/Berlin' }],
  ['every 20 minutes, for an hour twice', { cron: '*/20 * * * *', timezone: 'America/New_York' }],
  ['daily', { cron: '30 2 * * *', timezone: 'Europe/Berlin' }],
  ['yearly', { cron: '0 9 1 1 *' }],
  ['on leap days', { cron: '0 9 29 2 *' }],
  ['at another minute of each hour', { cron: Array.from({ length: 20 }, (_, at) => `${at} ${at} * * *`) }],
  ['20 times each minute', { cron: Array.from({ length: 20 }, () => '* * * * *'), timezone: 'Asia/Kathmandu' }],
])('calendars of a schedule that comes %s have its next times, all of them and no others', (_, config) => {
  const schedule = plannedSchedule(config);
  const { calendars, until = 0 } = upcomingOf(schedule, NOW);
  const expected: number[] = [];
  for (const time of timesOf(schedule, NOW)) {
    if (time > until) break;
    expected.push(time);
  }
  expect(timesIn(calendars)).toEqual(expected);
  expect(calendars.length).toBeLessThanOrEqual(100);
  expect(expected.length).toBeGreaterThanOrEqual(2);
  expect(until).toBeGreaterThan(NOW.getTime() + 3 * DAY_MS);
});

test('a schedule that ends has all of its times and needs no more', () => {
  const ends = plannedSchedule({ cron: '0 9 * * *', endAt: '2027-03-22T09:00:00Z' });
  const { calendars, until } = upcomingOf(ends, NOW);
  expect(timesIn(calendars).map((time) => new Date(time).toISOString())).toEqual([
    '2027-03-21T09:00:00.000Z',
    '2027-03-22T09:00:00.000Z',
  ]);
  expect(until).toBeUndefined();
});
