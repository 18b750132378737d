import { expect, test } from '@jest/globals';
import { createHandOver, noHandOver, type Holder, type NewDelivery } from './hand-over.ts';

const delivery: NewDelivery = { id: 'dlv_1', channelId: 'chn_1', subscriptionId: 'sub_1' };

test('without a receiver, deliveries are ignored', () => {
  noHandOver.take([delivery]);
  expect(noHandOver.holder()).toBeUndefined();
});

test('passes deliveries to the attached receiver, and to none before and after', () => {
  const taken: NewDelivery[] = [];
  const holder: Holder = { incarnationId: 'inc_1', atMost: 10, during: (publish) => publish() };
  const handOver = createHandOver();
  expect(handOver.holder()).toBeUndefined();
  const detach = handOver.attach({ holder: () => holder, take: (deliveries) => taken.push(...deliveries) });
  expect(handOver.holder()).toBe(holder);
  handOver.take([delivery]);
  detach();
  handOver.take([delivery]);
  expect(handOver.holder()).toBeUndefined();
  expect(taken).toEqual([delivery]);
});
