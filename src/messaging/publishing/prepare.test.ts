import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../kernel/errors.ts';
import { type ScheduleRequest, timeToPublish } from './prepare.ts';
import { publishMessageBody } from './schema.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const YEAR_MS = 365 * 86_400_000;
const after = (ms: number): Date => new Date(NOW.getTime() + ms);

describe('the time at which a message is published', () => {
  test.each<[string, ScheduleRequest, Date | undefined]>([
    ['is now for neither field', {}, undefined],
    ['is the delay from now on', { delay: 1 }, after(1)],
    ['is 365 days ahead for the longest delay', { delay: YEAR_MS }, after(YEAR_MS)],
    ['is deliverAt', { deliverAt: after(1) }, after(1)],
    ['is 365 days ahead for the latest deliverAt', { deliverAt: after(YEAR_MS) }, after(YEAR_MS)],
    ['is now for this very moment', { deliverAt: NOW }, undefined],
    ['is now for five minutes ago', { deliverAt: after(-300_000) }, undefined],
  ])('%s', (_, request, time) => {
    expect(timeToPublish(request, NOW)).toEqual(time);
  });

  test.each<[string, ScheduleRequest, string, string]>([
    ['both fields', { deliverAt: after(1), delay: 1 }, 'messages[3].delay', 'must not be combined with deliverAt'],
    [
      'more than five minutes ago',
      { deliverAt: after(-300_001) },
      'messages[3].deliverAt',
      'must not be more than five minutes in the past',
    ],
    [
      'more than 365 days',
      { deliverAt: after(YEAR_MS + 1) },
      'messages[3].deliverAt',
      'must be at most 365 days ahead',
    ],
  ])('is refused for %s', (_, request, field, reason) => {
    const refused = (): unknown => timeToPublish(request, NOW, 'messages[3].');
    expect(refused).toThrow(ApiError);
    expect(refused).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', details: { field, reason } }));
  });
});

describe('the fields of a publish', () => {
  const problemOf = (fields: Record<string, unknown>): PropertyKey | undefined =>
    publishMessageBody.safeParse({ eventType: 'a', payload: {}, ...fields }).error?.issues[0]?.path[0];

  test.each([0, -1, 1.5, '60', 31_536_000_001, Number.NaN])('a delay of %p is rejected', (delay) => {
    expect(problemOf({ delay })).toBe('delay');
  });

  test.each(['tomorrow', '2026-02-30T12:00:00Z', '2026-11-21', '2026-11-21T12:00:00', 1_795_000_000_000, ''])(
    'a deliverAt of %p is rejected',
    (deliverAt) => {
      expect(problemOf({ deliverAt })).toBe('deliverAt');
    },
  );

  test('a deliverAt may have an offset, and both may be absent or null', () => {
    expect(
      publishMessageBody.parse({ eventType: 'a', payload: {}, deliverAt: '2026-11-21T13:00:00+01:00' }).deliverAt,
    ).toEqual(NOW);
    expect(problemOf({})).toBeUndefined();
    expect(problemOf({ delay: null, deliverAt: null })).toBeUndefined();
  });
});
