import { expect, test } from '@jest/globals';
import { createTimeBudgets } from './time-budgets.ts';

test('a budget is used up by what is charged and comes back with time, never beyond full', () => {
  let now = 0;
  const budgets = createTimeBudgets({ fullMs: 2_000, perSecondMs: 500 }, () => now);
  expect(budgets.isUsedUp('ch_1')).toBe(false);
  budgets.charge('ch_1', 1_999);
  expect(budgets.isUsedUp('ch_1')).toBe(false);
  budgets.charge('ch_1', 1_001);
  expect(budgets.isUsedUp('ch_1')).toBe(true);
  now = 2_000;
  expect(budgets.isUsedUp('ch_1')).toBe(true);
  now = 2_001;
  expect(budgets.isUsedUp('ch_1')).toBe(false);
  now = 1_000_000;
  budgets.charge('ch_1', 2_000);
  expect(budgets.isUsedUp('ch_1')).toBe(true);
});

test('the budget of one key is no other one’s', () => {
  const budgets = createTimeBudgets({ fullMs: 10, perSecondMs: 1 }, () => 0);
  budgets.charge('ch_1', 10);
  expect(budgets.isUsedUp('ch_1')).toBe(true);
  expect(budgets.isUsedUp('ch_2')).toBe(false);
});
