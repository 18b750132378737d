import { describe, expect, test } from '@jest/globals';
import type { FilterInput } from './filter.ts';
import { createFilters } from './filters.ts';

const inputOf = (payload: unknown, fields: Partial<FilterInput> = {}): FilterInput => ({
  key: 'ch_1',
  eventType: 'order.created',
  payload: JSON.stringify(payload),
  metadata: undefined,
  ...fields,
});

const ORDER = { total: 250, currency: 'EUR', tags: ['new', 'eu'], lines: [{ price: 10, quantity: 2 }] };

describe('measure', () => {
  const filters = createFilters();

  test('tells the units of a filter', () => {
    expect(filters.measure('payload.vip')).toEqual({ units: expect.any(Number) });
  });

  test.each([
    ['payload.total >', 'line 1:16: The expression ends too early'],
    ['payload.total + 1 > 2 && size(payload)', "line 1:1: Logical operator requires bool operands, got 'int'"],
    ['"yes"', 'must return bool, returns string'],
    ['x', 'line 1:1: Unknown variable: x; values of the payload are read as payload.x'],
    [
      'payload.a.exists(x, payload.b in payload.c)',
      /^takes up to \d+ units for one message, and a filter may take 100000$/,
    ],
  ])('says of %s: %s', (expression, problem) => {
    expect(filters.measure(expression)).toEqual({
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });
});

describe('filters', () => {
  test('are decided, one verdict for each in their order, the same for the same', async () => {
    const expressions = [
      'payload.total > 100',
      'payload.currency == "USD"',
      'payload.vip',
      'payload.total > 100',
      'nonsense(',
      'payload.tags.exists(tag, tag == "eu")',
    ];
    expect(await createFilters().evaluate(expressions, inputOf(ORDER))).toEqual([
      { matches: true },
      { matches: false },
      { matches: false, error: 'line 1:9: No such key: vip' },
      { matches: true },
      { matches: false, error: 'line 1:1: unknown function "nonsense"' },
      { matches: true },
    ]);
  });

  test('none are decided for a message without any', async () => {
    expect(await createFilters().evaluate([], inputOf(ORDER))).toEqual([]);
  });

  test('leave the payload alone that none of them looks at', async () => {
    const input = inputOf({}, { payload: 'no JSON', metadata: { source: 'web' } });
    expect(await createFilters().evaluate(['metadata.source == "web" && eventType != ""'], input)).toEqual([
      { matches: true },
    ]);
    await expect(createFilters().evaluate(['payload.a'], input)).rejects.toThrow(SyntaxError);
  });

  test('more than one turn of the event loop can evaluate are all decided, in several turns', async () => {
    // Each look at the clock is a millisecond later.
    let time = 0;
    let looks = 0;
    const filters = createFilters(() => {
      looks += 1;
      return (time += 1);
    });
    const counts: number[] = [];
    let isOver = false;
    const watch = (): void => {
      counts.push(looks);
      looks = 0;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    const expressions = Array.from({ length: 300 }, (_, n) => `payload.total > ${n + 235}`);
    const verdicts = await filters.evaluate(expressions, inputOf(ORDER));
    isOver = true;
    expect(verdicts.map(({ matches }) => matches)).toEqual(expressions.map((_, n) => n < 15));
    expect(Math.max(...counts)).toBeLessThanOrEqual(7);
    expect(counts.length).toBeGreaterThan(40);
  });
});
