import { describe, expect, test } from '@jest/globals';
import { planOf } from './compile.ts';
import { outlineOf } from '../../engine/plans.ts';

const event = { type: 'event', config: {} };
const log = (id: string, next?: string | null) => ({ id, type: 'action', ...(next !== undefined && { next }) });

describe('a plan', () => {
  test('follows the order of the steps if none of them names another one', () => {
    expect(planOf(event, [log('a'), log('b'), log('c')]).steps.map(({ next }) => next)).toEqual(['b', 'c', null]);
    expect(planOf(event, [log('a'), log('b', 'c'), log('c')]).steps.map(({ next }) => next)).toEqual([null, 'c', null]);
  });

  test('does not find transitions in the config of an action that does nothing', () => {
    const kept = { ...log('a'), config: { onError: ['x'], foo: 1 } };
    expect(planOf(event, [kept, log('b')]).steps.map(({ next }) => next)).toEqual(['b', null]);
  });

  test('has durations in ms and defaults for what the author left out', () => {
    const config = {
      action: 'http',
      url: 'https://a.example',
      timeout: '5s',
      retryPolicy: { maxRetries: 1, nonRetryableErrors: ['HTTP_4XX'] },
    };
    expect(planOf(event, [{ id: 'a', type: 'action', config }]).steps).toEqual([
      {
        id: 'a',
        label: 'a',
        type: 'action',
        next: null,
        action: 'http',
        method: 'POST',
        url: 'https://a.example',
        headers: {},
        query: {},
        expectStatus: [],
        onError: 'fail',
        timeoutMs: 5_000,
        retryPolicy: { maxRetries: 1, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 },
        nonRetryableErrors: ['HTTP_4XX'],
      },
    ]);
  });

  test('gives the Temporal workflow transitions and times, but no expressions', () => {
    const plan = planOf(event, [
      {
        id: 'c',
        type: 'condition',
        // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
        config: { expression: 'true', if: 'false', then: 'a', onError: 'continue' },
        next: 'a',
      },
      { id: 'a', type: 'action', config: { action: 'http', url: 'https://a.example' } },
    ]);
    expect(JSON.stringify(outlineOf(plan))).not.toContain('https:');
    expect(outlineOf(plan)).toMatchObject({
      entry: 'c',
      steps: { c: { isConditional: true, onError: 'continue', next: 'a' }, a: { timeoutMs: 30_000 } },
    });
  });
});
