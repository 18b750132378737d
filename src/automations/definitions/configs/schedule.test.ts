import { expect, test } from '@jest/globals';
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
  // Clocks go from 2 to 3 on that day: the hour is not there.
  [
    'the day on which clocks go forward',
    { cron: '30 3 * * *', timezone: 'Europe/Berlin' },
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:30:00.000Z',
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

test.each([
  ['0 0 * * * *', 'five fields'],
  ['@daily', 'five fields'],
  ['CRON_TZ=UTC 0 0 * * *', 'five fields'],
  ['0 0 L * *', 'five fields'],
  ['0 0 * * 5#2', 'five fields'],
  ['60 0 * * *', 'is no cron expression: '],
  ['0 0 30 2 *', 'never comes'],
  ['0 0 1 * 1', 'use two expressions'],
])('%s is refused', (cron, reason) => {
  const { error } = scheduleConfig.safeParse({ cron });
  expect(error?.issues.map(({ message }) => message).join()).toContain(reason);
});

test('tells of a schedule that has no time left, and of no other trigger', () => {
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
