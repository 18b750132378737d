import { expect, test } from '@jest/globals';
import { type NewRun, type Publication, learnWidth, rowsOf } from './publication.ts';

const message = (id: string) => ({ id, eventType: 'a', payload: '{}', metadata: undefined, publishedAt: new Date(0) });
const publication = (fields: Partial<Publication> = {}): Publication => ({
  environmentId: 'env',
  channelId: 'chn',
  messages: [message('m1'), message('m2')],
  width: { unfiltered: 10 },
  ...fields,
});
const matches = ['s1', 's2', 's3'].map((subscriptionId) => ({ messageId: 'm1', subscriptionId }));
const runs = ['r1', 'r2'].map(
  (id): NewRun => ({ id, messageId: 'm2', workflowId: 'w', version: 1, triggerType: 'event' }),
);

test('counts messages, deliveries and runs as rows', () => {
  expect(rowsOf(publication())).toBe(22);
  expect(rowsOf(publication({ matches, runs }))).toBe(27);
});

test('counts only the rows of scheduled messages, and of those for one subscription or an unknown channel', () => {
  expect(rowsOf(publication({ messages: [{ ...message('m1'), isScheduled: true }] }))).toBe(1);
  expect(rowsOf(publication({ onlySubscriptionId: 's1' }))).toBe(4);
  const { width: _, ...unknown } = publication();
  expect(rowsOf(unknown)).toBe(2);
});

test('the width grows to the number of deliveries without a filter, and does not shrink', () => {
  const learned = (deliveries: Record<string, number>): number => {
    const each = publication({ matches, width: { unfiltered: 10 } });
    learnWidth(each, new Map(Object.entries(deliveries)));
    return each.width?.unfiltered ?? 0;
  };
  expect([
    learned({}),
    learned({ m1: 4 }),
    learned({ m1: 13 }),
    learned({ m1: 20 }),
    learned({ m1: 20, m2: 19 }),
  ]).toEqual([10, 10, 10, 17, 19]);
  const { width: _, ...unknown } = publication();
  expect(() => learnWidth(unknown, new Map([['m1', 1]]))).not.toThrow();
});
