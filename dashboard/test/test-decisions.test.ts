import { expect, test } from '@jest/globals';
import { decisionIn, withApprovals, withDecision } from '../src/lib/test-decisions.ts';

const json = (text: string): unknown => JSON.parse(text);

test('an approval is approved unless another decision is chosen, and a removed one is dropped', () => {
  const first = withApprovals({ mocks: '', asked: [] }, ['ask']);
  expect(json(first.mocks)).toEqual({ ask: { output: { decision: 'approved', data: {} } } });
  const late = { ...first, mocks: withDecision(first.mocks, 'ask', 'timeout') };
  expect(late.mocks).toBe('');
  // A choice stays.
  expect(withApprovals(late, ['ask'])).toEqual(late);
  expect(withApprovals(first, [])).toEqual({ mocks: '', asked: [] });
});

test('a decision changes nothing else in the simulated responses', () => {
  const written =
    '{ "crm": { "output": { "total": 12.50 } }, "ask": { "output": { "decision": "approved", "data": { "a": 1.0 } } } }';
  const rejected = withDecision(written, 'ask', 'rejected');
  expect(rejected).toBe(written.replace('"approved"', '"rejected"'));
  expect(decisionIn(rejected, 'ask')).toBe('rejected');
  expect(json(withDecision(written, 'ask', 'timeout'))).toEqual({ crm: { output: { total: 12.5 } } });
  const failing = '{"ask":{"error":{"code":"X"}}}';
  expect(decisionIn(failing, 'ask')).toBe('custom');
  expect(json(withDecision(failing, 'ask', 'approved'))).toEqual({
    ask: { output: { decision: 'approved', data: {} } },
  });
});

test('responses that are not JSON stay as they are', () => {
  expect(withApprovals({ mocks: '{ "ask"', asked: [] }, ['ask'])).toEqual({ mocks: '{ "ask"', asked: [] });
});
