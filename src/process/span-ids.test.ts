import { expect, test } from '@jest/globals';
import { createSpanIds, deliverySpanId } from './spans.ts';

test('the id of a delivery follows from its name and round, in the form of a span id', () => {
  const id = deliverySpanId('dlv_01', 1);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(deliverySpanId('dlv_01', 1)).toBe(id);
  expect(new Set([id, deliverySpanId('dlv_01', 2), deliverySpanId('dlv_02', 1)]).size).toBe(3);
});

test('an id that is given is used for the next span alone', () => {
  const ids = createSpanIds();
  ids.use('00f067aa0ba902b7');
  expect(ids.generateSpanId()).toBe('00f067aa0ba902b7');
  const [one, other] = [ids.generateSpanId(), ids.generateSpanId()];
  expect(one).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(['00f067aa0ba902b7', one, other]).size).toBe(3);
  expect(ids.generateTraceId()).toMatch(/^[0-9a-f]{32}$/);
});
