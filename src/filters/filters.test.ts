import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type CostlyLimits, createCostly } from './costly.ts';
import type { FilterInput } from './filter.ts';
import { createFilters, createFiltersWith, type Filters } from './filters.ts';

const log = pino({ level: 'silent' });
/** Time enough for whatever ends at all, on whatever machine. */
const PATIENT: CostlyLimits = {
  expressionMs: 20_000,
  sliceMs: 20_000,
  waitMs: 60_000,
  slowMs: 60_000,
  budget: { fullMs: 60_000, perSecondMs: 0 },
};

/** The clock stands still where none is given, so that no machine is too slow for what is cheap. */
const filtersWith = (limits: CostlyLimits, now = () => 0): Filters =>
  createFiltersWith(createCostly(log, limits, now), () => 0);

const inputOf = (payload: unknown, fields: Partial<FilterInput> = {}): FilterInput => ({
  key: 'ch_1',
  eventType: 'order.created',
  payload: JSON.stringify(payload),
  metadata: undefined,
  ...fields,
});

const ORDER = { total: 250, currency: 'EUR', tags: ['new', 'eu'], lines: [{ price: 10, quantity: 2 }] };

describe('problemOf', () => {
  const filters = createFilters({ log, waitMs: 60_000 });

  test('has nothing to say of a filter', () => {
    expect(filters.problemOf('payload.total > 5')).toBeUndefined();
    expect(filters.problemOf('payload.vip')).toBeUndefined();
  });

  test.each([
    ['payload.total >', 'line 1:16: Unexpected token: EOF'],
    ['payload.total + 1 > 2 && size(payload)', "line 1:1: Logical operator requires bool operands, got 'int'"],
    ['"yes"', 'must return bool, returns string'],
    ['x', 'line 1:1: Unknown variable: x'],
  ])('says of %s: %s', (expression, problem) => {
    expect(filters.problemOf(expression)).toBe(problem);
  });
});

describe('cheap filters', () => {
  test('are decided at once, one verdict for each in their order, the same for the same', () => {
    const expressions = [
      'payload.total > 100',
      'payload.currency == "USD"',
      'payload.vip',
      'payload.total > 100',
      'nonsense(',
    ];
    expect(filtersWith(PATIENT).evaluate(expressions, inputOf(ORDER))).toEqual([
      { matches: true },
      { matches: false },
      { matches: false, error: 'line 1:9: No such key: vip' },
      { matches: true },
      { matches: false, error: 'line 1:1: unknown function "nonsense"' },
    ]);
  });

  test('none are decided for a message without any', () => {
    expect(filtersWith(PATIENT).evaluate([], inputOf(ORDER))).toEqual([]);
  });

  test.each([30, 300])(
    'that are more than one turn of the event loop can do are decided in several: %i',
    async (count) => {
      // Each look at the clock is a millisecond later: four filters a turn, and behind a hundred milliseconds a thread does the rest.
      let time = 0;
      const filters = createFiltersWith(
        createCostly(log, PATIENT, () => 0),
        () => (time += 1),
      );
      const expressions = Array.from({ length: count }, (_, n) => `payload.total > ${n + 235}`);
      const evaluation = filters.evaluate(expressions, inputOf(ORDER));
      expect(await isDecidedAtOnce(evaluation)).toBe(false);
      expect((await evaluation).map(({ matches }) => matches)).toEqual(expressions.map((_, n) => n < 15));
    },
  );

  test('of the messages of one turn share its time', async () => {
    let time = 0;
    const filters = createFiltersWith(
      createCostly(log, PATIENT, () => 0),
      () => (time += 0.5),
    );
    const evaluations = [1, 2, 3, 4].map(() => filters.evaluate(['payload.total > 1'], inputOf(ORDER)));
    expect(evaluations.map((each) => each instanceof Promise)).toEqual([false, false, false, true]);
    for (const evaluation of evaluations) expect(await evaluation).toEqual([{ matches: true }]);
  });
});

/** Whether an evaluation is over before the event loop turns. */
async function isDecidedAtOnce(evaluation: ReturnType<Filters['evaluate']>): Promise<boolean> {
  const turned = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([Promise.resolve(evaluation).then(() => true), turned]);
}

describe('what may take long', () => {
  const filters = filtersWith(PATIENT);

  test.each<[string, unknown, boolean]>([
    ['payload.tags.exists(tag, tag == "eu")', ORDER, true],
    ['payload.lines.all(line, line.price * line.quantity > 20)', ORDER, false],
    ['payload.tags.join(",") == "new,eu"', ORDER, true],
    ['cel.bind(sum, payload.total + 1, sum == 251)', ORDER, true],
    ['payload.currency.contains(payload.currency)', ORDER, true],
    ['payload.a == "x"', { a: 'x'.repeat(100_000) }, false],
    ['payload.a == payload.b', { a: 'x'.repeat(30_000), b: 'x'.repeat(30_000) }, true],
    ['payload.a.matches("^(?:a?){100}$")', { a: 'a'.repeat(10_000) }, false],
    [`payload.a.contains("${'a'.repeat(1_000)}")`, { a: 'a'.repeat(20_000) }, true],
  ])('is decided in a thread, and right: %s', async (expression, payload, matches) => {
    const evaluation = filters.evaluate([expression], inputOf(payload));
    expect(evaluation).toBeInstanceOf(Promise);
    expect(await evaluation).toEqual([{ matches }]);
  });

  test('is not everything about a large payload: what does not look at it is decided at once', () => {
    const input = inputOf({ a: 'x'.repeat(200_000) }, { metadata: { source: 'web' } });
    expect(filters.evaluate(['eventType == "a" || metadata.source == "web"'], input)).toEqual([{ matches: true }]);
  });

  test('stands beside what does not in the order that was asked for', async () => {
    const expressions = [
      'payload.total > 1',
      'payload.tags.all(t, t == "eu")',
      'false',
      'payload.tags.exists(t, t)',
      'x',
    ];
    expect(await filters.evaluate(expressions, inputOf(ORDER))).toEqual([
      { matches: true },
      { matches: false },
      { matches: false },
      { matches: false, error: expect.stringMatching(/predicate must return bool, got 'string'/) },
      { matches: false, error: 'line 1:1: Unknown variable: x' },
    ]);
  });
});
