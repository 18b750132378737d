import { expect, test } from '@jest/globals';
import { readDueNotice } from './waking.ts';

test.each<[notice: string, read: ReturnType<typeof readDueNotice>]>([
  ['first sub_1 1764547200', { lane: 'first', subscriptionId: 'sub_1', since: new Date('2025-12-01T00:00:00Z') }],
  ['retry sub_1 1764547199', { lane: 'retry', subscriptionId: 'sub_1', since: new Date('2025-11-30T23:59:59Z') }],
  ['open sub_1', { opened: 'sub_1' }],
  ['late 1600', { lateMs: 1_600 }],
])('the notification %j is read as it was written', (notice, read) => {
  expect(readDueNotice(notice)).toEqual(read);
});

test.each([
  '',
  'first',
  'first sub_1',
  'first sub_1 soon',
  'other sub_1 0',
  'open',
  'open sub_1 0',
  'late',
  'late soon',
  'late 1 2',
  'the end',
])('the notification %j only wakes', (notice) => {
  expect(readDueNotice(notice)).toBeUndefined();
});
