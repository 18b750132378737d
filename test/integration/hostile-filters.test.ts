import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CostlyLimits, createCostly } from '../../src/filters/costly.ts';
import { createFiltersWith, type FilterInput, type Filters, newWaiting } from '../../src/filters/filters.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';
import { waitFor } from '../support/wait-for.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/**
 * Short, for filters that do not end; those that end on any machine get more. The slice is the time in which an expression has begun:
 * its payload is read by then, whatever this process does beside it.
 */
const SHORT: CostlyLimits = {
  expressionMs: 40,
  sliceMs: 300,
  waitMs: 60_000,
  slowMs: 60_000,
  budget: { fullMs: 60_000, perSecondMs: 0 },
};

/** In the process that serves the API. The clock stands still where none is given. */
const filtersWith = (limits: CostlyLimits, now = () => 0): Filters =>
  createFiltersWith(createCostly(posthorn.deps.log, limits, now), () => 0);

const inputOf = (payload: unknown): FilterInput => ({
  key: 'ch_1',
  eventType: 'order.created',
  payload: JSON.stringify(payload),
  metadata: undefined,
});

const numbers = Array.from({ length: 60_000 }, (_, n) => n % 10);

/** Whether an evaluation is over before the event loop turns. */
async function isDecidedAtOnce(evaluation: ReturnType<Filters['evaluate']>): Promise<boolean> {
  const turned = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([Promise.resolve(evaluation).then(() => true), turned]);
}

// Each would take minutes, or more memory than there is.
const HOSTILE: [string, string, unknown][] = [
  ['two comprehensions', 'payload.a.all(x, payload.a.all(y, x + y > -1))', { a: numbers }],
  ['a filter within a map', 'payload.a.map(x, payload.a.filter(y, y == x)) == []', { a: numbers }],
  ['sizes of what a map makes', 'payload.a.map(x, size(payload.a.map(y, y))) == []', { a: numbers }],
  [
    'a list in a list in a list',
    'payload.a.map(x, payload.a).map(l, l + l + l + l).exists(l, size(l) == 1)',
    { a: numbers },
  ],
  [
    'a text found in all others',
    'payload.a.all(x, payload.a.all(y, !x.contains(y + "!")))',
    { a: numbers.map(String) },
  ],
  // Two letters at its end: one alone would be looked for first, and all be over in half a second.
  [
    'a pattern for each',
    'payload.a.exists(x, payload.b.matches("(?:a?){100}[bc]"))',
    { a: numbers, b: 'a'.repeat(100_000) },
  ],
];

describe('a filter that does not end matches, and says why:', () => {
  test.each(HOSTILE)('%s', async (_, expression, payload) => {
    const filters = filtersWith(SHORT);
    expect(filters.problemOf(expression)).toBeUndefined();
    expect(await filters.evaluate([expression], inputOf(payload))).toEqual([
      { matches: true, error: 'took longer than 40 ms' },
    ]);
  });

  const endless = 'payload.a.all(x, payload.a.all(y, x + y > -1))';
  const input = inputOf({ a: numbers, tags: ['eu'] });

  test('others of the same message are decided all the same, before it and behind it', async () => {
    const limits = { ...SHORT, expressionMs: 5_000, sliceMs: 0 };
    const expressions = [
      'payload.tags.exists(t, t == "eu")',
      endless,
      'payload.tags.all(t, t == "us")',
      'eventType == "x"',
    ];
    expect(await filtersWith(limits).evaluate(expressions, input)).toEqual([
      { matches: true },
      { matches: true, error: 'took longer than 5000 ms' },
      { matches: false },
      { matches: false },
    ]);
  });

  test('and matches at once for some minutes, under the same key, with payloads that are not much shorter', async () => {
    let now = 0;
    const filters = filtersWith({ ...SHORT, expressionMs: 5_000 }, () => now);
    const tookTooLong = [{ matches: true, error: 'took longer than 5000 ms' }];
    expect(await filters.evaluate([endless], input)).toEqual(tookTooLong);
    expect(await isDecidedAtOnce(filters.evaluate([endless], input))).toBe(true);
    expect(await filters.evaluate([endless], input)).toEqual(tookTooLong);
    const half = inputOf({ a: numbers.slice(0, 31_000) });
    expect(await isDecidedAtOnce(filters.evaluate([endless], half))).toBe(true);
    now = SHORT.slowMs - 1;
    expect(await isDecidedAtOnce(filters.evaluate([endless], input))).toBe(true);

    expect(await filters.evaluate([endless], inputOf({ a: [1] }))).toEqual([{ matches: true }]);
    expect(await isDecidedAtOnce(filters.evaluate([endless], { ...input, key: 'ch_2' }))).toBe(false);
    now = SHORT.slowMs;
    expect(await isDecidedAtOnce(filters.evaluate([endless], input))).toBe(false);
  });

  test('as do those for which their publication has no time left, and so do its other messages', async () => {
    const filters = filtersWith({ ...SHORT, expressionMs: 5_000, waitMs: 50 });
    const others = [1, 2, 3].map((n) => `payload.a.all(x, payload.a.all(y, x + y > -${n}))`);
    const notReached = {
      matches: true,
      error: 'was not decided within 50 ms, which is what a publication waits for its filters',
    };
    const waiting = newWaiting();
    expect(await filters.evaluate(others, input, waiting)).toEqual([notReached, notReached, notReached]);
    const next = filters.evaluate(others, input, waiting);
    expect(await isDecidedAtOnce(next)).toBe(true);
    expect(await next).toEqual([notReached, notReached, notReached]);
  });

  test('and what nobody waited for to its end is remembered all the same', async () => {
    const filters = filtersWith({ ...SHORT, waitMs: 1 });
    await waitFor('the filter is remembered', async () => {
      const [verdict] = await filters.evaluate([endless], input);
      return verdict?.error === 'took longer than 40 ms' ? verdict : undefined;
    });
    expect(await isDecidedAtOnce(filters.evaluate([endless], input))).toBe(true);
  });

  test('and those of a channel that has used up its time match at once until some has come back', async () => {
    let now = 0;
    const fullMs = SHORT.sliceMs + SHORT.expressionMs;
    const filters = filtersWith({ ...SHORT, budget: { fullMs, perSecondMs: fullMs / 5 } }, () => now);
    const [first = '', second = ''] = [1, 2].map((n) => `payload.a.all(x, payload.a.all(y, x + y > -${n}))`);
    const usedUp = { matches: true, error: "was not evaluated: the channel's filters have used up their time" };
    // The filter ends its thread, which counts twice.
    expect(await filters.evaluate([first, second], input)).toEqual([
      { matches: true, error: 'took longer than 40 ms' },
      usedUp,
    ]);
    expect(await isDecidedAtOnce(filters.evaluate([second], input))).toBe(true);
    expect(await isDecidedAtOnce(filters.evaluate([second], { ...input, key: 'ch_2' }))).toBe(false);
    now = 5_000;
    expect(await filters.evaluate([second], input)).toEqual([usedUp]);
    now = 5_100;
    expect(await filters.evaluate([second], input)).toEqual([{ matches: true, error: 'took longer than 40 ms' }]);
  });

  test('the process answers others meanwhile', async () => {
    // In this thread it would take an hour before there were a promise.
    const evaluation = filtersWith(SHORT).evaluate([endless], input);
    expect((await fetch(`${posthorn.url}/healthz`)).ok).toBe(true);
    expect(await evaluation).toEqual([{ matches: true, error: 'took longer than 40 ms' }]);
  });

  test('too many messages that wait for it are UNAVAILABLE, and no others', async () => {
    const filters = filtersWith(SHORT);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 110 }, async () => filters.evaluate([endless], input)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ reason: { code: 'UNAVAILABLE', retryAfter: 1 } });
    expect(await filters.evaluate(['payload.tags.exists(t, t == "eu")'], inputOf({ tags: ['eu'] }))).toHaveLength(1);
  });
});
