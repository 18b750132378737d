import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type FilterInput,
  createFilters,
  createFilterCompiler,
  KEPT,
  readMessage,
  type FilterVerdict,
} from './filters.ts';

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

  test('returns the units of a filter', () => {
    expect(filters.measure('payload.vip')).toEqual({ units: expect.any(Number) });
  });

  test.each([
    ['payload.total >', 'line 1:16: The expression ends too early'],
    ['payload.total + 1 > 2 && size(payload)', "line 1:1: Logical operator requires bool operands, got 'int'"],
    ['"yes"', 'must return bool, returns string'],
    ['x', 'line 1:1: Unknown variable: x; values of the payload are read as payload.x'],
    [
      'payload.a.exists(x, payload.b in payload.c)',
      /^must take at most 100000 units per message, but may take up to \d+$/,
    ],
  ])('says of %s: %s', (expression, problem) => {
    expect(filters.measure(expression)).toEqual({
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });
});

describe('filters', () => {
  test('return one result each, in order, and equal filters the same one', async () => {
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

  test('return nothing if there are none', async () => {
    expect(await createFilters().evaluate([], inputOf(ORDER))).toEqual([]);
  });

  test('do not parse the payload if none of them uses it', async () => {
    const input = inputOf({}, { payload: 'no JSON', metadata: { source: 'web' } });
    expect(await createFilters().evaluate(['metadata.source == "web" && eventType != ""'], input)).toEqual([
      { matches: true },
    ]);
    await expect(createFilters().evaluate(['payload.a'], input)).rejects.toThrow(SyntaxError);
  });

  test('are all evaluated over several turns of the event loop if there are many', async () => {
    // The clock advances by a millisecond with each call.
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

const compile = createFilterCompiler(KEPT);

function verdictOn(
  expression: string,
  payload: unknown,
  metadata?: Record<string, string>,
  compiler = compile,
): FilterVerdict {
  const compiled = compiler(expression);
  if ('problem' in compiled) throw new Error(compiled.problem);
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return compiled.verdictOn(readMessage({ eventType: 'order.created', payload: text, metadata }));
}

describe('everyday filters:', () => {
  const order = { total: 250, currency: 'EUR', customer: { vip: true }, lines: [{ sku: 'A', quantity: 12 }] };

  test.each<[string, boolean]>([
    ['payload.total >= 100 && payload.currency == "EUR"', true],
    ['payload.total > 1000 || payload.customer.vip', true],
    ['payload.lines.exists(line, line.quantity > 10)', true],
    ['eventType == "order.created" && !has(payload.refund)', true],
    ['metadata.source == "web"', true],
    ['metadata.?tenant.orValue("none") != "none"', false],
    ['payload.currency in ["USD", "GBP"]', false],
    ['payload.customer.vip', true],
  ])('%s is %s', (expression, matches) => {
    expect(verdictOn(expression, order, { source: 'web' })).toEqual({ matches });
  });
});

describe('a filter that fails does not match and returns the reason:', () => {
  test.each<[string, unknown, string]>([
    ['payload.total > 1', {}, 'line 1:9: No such key: total'],
    ['payload.total > 1', { total: '5' }, 'line 1:1: no such overload: dyn<string> > int'],
    ['payload.total', { total: 5 }, 'must return bool, returned a number'],
    ['payload.total', '{"total":12345678901234567890}', 'must return bool, returned a number'],
    ['payload.total', { total: 'yes' }, 'must return bool, returned text'],
    ['payload.total', { total: null }, 'must return bool, returned null'],
    ['payload.total', { total: [true] }, 'must return bool, returned a list'],
    ['payload.total', { total: {} }, 'must return bool, returned something else'],
    ['payload.total == 1', [], "line 1:1: Variable 'payload' is not of type 'map<dyn, dyn>', got 'list<dyn>'"],
    ['metadata.source == "web"', {}, 'line 1:10: No such key: source'],
  ])('%s on %j: %s', (expression, payload, error) => {
    expect(verdictOn(expression, payload)).toEqual({ matches: false, error });
  });

  test('with at most 500 characters', () => {
    const { error } = verdictOn('payload[payload.a]', { a: 'x'.repeat(10_000) });
    expect(error).toHaveLength(500);
    expect(error).toMatch(/^line 1:1: No such key: x+…$/);
  });
});

test.each([
  ['size(payload)', 'must return bool, returns int'],
  ['eventType', 'must return bool, returns string'],
  ['payload.total == 1 &&', 'line 1:22: The expression ends too early'],
])('%s is no filter', (expression, problem) => {
  expect(compile(expression)).toEqual({ problem });
});

describe('a payload cannot disguise its type:', () => {
  test.each<[string, string, boolean]>([
    ['payload.constructor == 1', '{"constructor":1}', true],
    ['has(payload.constructor)', '{"a":1}', false],
    ['payload.a == 2', '{"constructor":{"a":1},"a":2}', true],
    ['payload.a.b == 2', '{"a":{"constructor":null,"b":2}}', true],
    ['payload.a == {"b": 2}', '{"a":{"b":2},"constructor":0}', true],
    ['payload.a == payload.b', '{"a":{"constructor":1},"b":{"constructor":1}}', true],
    ['payload.a == payload.b', '{"a":{"constructor":1},"b":{"x":1}}', false],
    ['size(payload) == 2', '{"constructor":1,"a":1}', true],
    ['payload.exists(key, key == "constructor")', '{"constructor":1}', true],
    ['"__proto__" in payload', '{"__proto__":{"admin":true}}', true],
    ['has(payload.admin)', '{"__proto__":{"admin":true}}', false],
    ['payload.matches == "x" && payload.size == 3', '{"matches":"x","size":3}', true],
    ['payload.hasOwnProperty == 1', '{"hasOwnProperty":1}', true],
    ['payload.n == 12345678901234567890', '{"n":12345678901234567890}', true],
    ['payload.n == 12345678901234567891', '{"n":12345678901234567890}', false],
    ['payload.n == payload.m', '{"n":12345678901234567890,"m":12345678901234567891}', false],
    ['payload.n > 12345678901234567890', '{"n":12345678901234567891}', true],
    ['payload.n in [9007199254740993]', '{"n":9007199254740993}', true],
    ['payload.n == 1.0', '{"n":1}', true],
    ['payload.n == 0.3', '{"n":0.30}', true],
  ])('%s on %s is %s', (expression, payload, matches) => {
    expect(verdictOn(expression, payload)).toEqual({ matches });
  });

  test('and neither can metadata', () => {
    expect(verdictOn('metadata.constructor == "x"', {}, { constructor: 'x' })).toEqual({ matches: true });
  });
});

describe('a filter has one result whatever a message contains', () => {
  const name = fc.constantFrom('a', 'b', 'constructor', 'toString', '__proto__', 'size', 'x');
  const scalar: fc.Arbitrary<unknown> = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }),
    fc.constantFrom('', 'a', 'constructor', '2026-01-01T00:00:00Z', '5m', 'ü'),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const textOf = (json: unknown): string => {
    if (typeof json === 'bigint') return String(json);
    if (Array.isArray(json)) return `[${json.map(textOf).join(',')}]`;
    if (typeof json !== 'object' || json === null) return JSON.stringify(json);
    return `{${Object.entries(json)
      .map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`)
      .join(',')}}`;
  };
  const expression = fc.constantFrom(
    'payload.a == payload.b',
    'payload.a > 1',
    'payload.a + payload.b == payload.x',
    'payload.a - 1 < payload.b * 2 || payload.a / payload.b == payload.a % 3',
    'payload.a in payload.b',
    'payload.a == {"b": 1} || payload.a == [1, "a"]',
    'size(payload.a) == payload.size',
    'payload.a.startsWith("a") && payload.b.contains("u")',
    'payload.a.matches("^a*$")',
    'payload.a.all(x, x == payload.b)',
    'payload.exists(key, key == "constructor")',
    'payload.a.filter(x, x.b > 1).size() == payload.b',
    'payload.?a.?b.orValue(false)',
    'has(payload.a.b) && payload.a.b',
    'payload.constructor == payload.toString',
    'timestamp(payload.a) > timestamp(0) || duration(payload.b) > duration("1s")',
    'int(payload.a) + 1 == int(payload.b) || string(payload.a) == payload.x',
    'metadata.a == eventType',
    'payload[eventType] == payload["a"][0]',
    'payload.a ? payload.b : payload.x',
    '!payload.a || -payload.b == 1',
    'cel.bind(x, payload.a, x == payload.b)',
  );

  test('the same in every process, and never throws', () => {
    const other = createFilterCompiler(KEPT);
    fc.assert(
      fc.property(expression, value, fc.dictionary(name, fc.string(), { maxKeys: 2 }), (text, payload, metadata) => {
        const verdict = verdictOn(text, textOf(payload), metadata);
        expect(typeof verdict.matches).toBe('boolean');
        if (verdict.error !== undefined) expect(verdict.matches).toBe(false);
        expect(verdictOn(text, textOf(payload), metadata, other)).toEqual(verdict);
      }),
      { numRuns: 1_000 },
    );
  });
});
