import { describe, expect, test } from '@jest/globals';
import { compilePattern } from '../pattern.ts';
import { createExpressions, ExpressionRefused, explainFailure } from './expressions.ts';

const expressions = createExpressions(compilePattern);

const values = {
  eventType: 'order.created',
  payload: {
    total: 120.5,
    count: 3,
    zero: 0,
    id: 12345678901234567890n,
    currency: 'EUR',
    paid: true,
    note: null,
    at: '2026-02-01T00:00:00Z',
    seconds: 1_769_904_000,
    lasts: '90m',
    tags: ['new', 'eu'],
    mixed: [1, 'a', [2], { b: 3 }],
    letters: 'x'.repeat(4_096),
    long: 'x'.repeat(4_097),
    longest: 'x'.repeat(65_537),
    digits: '1'.repeat(65),
    huge: 1e300,
    five: [1, 2, 3, 4, 5],
    fifty: [...Array.from({ length: 49 }, () => 1), 'end'],
    thousand: Array.from({ length: 1_000 }, () => 'x'),
    more: Array.from({ length: 1_001 }, () => 'x'),
    texts: Array.from({ length: 9 }, () => 'x'.repeat(4_096)),
    items: Array.from({ length: 10_001 }, () => 1),
    keys: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`k${n}`, n])),
    lines: [
      { sku: 'A-1', price: 10, quantity: 2 },
      { sku: 'B-2', price: 99.5, quantity: 1 },
    ],
    customer: { name: 'Ada', address: { country: 'FR' } },
  },
  metadata: { source: 'web', 'x-region': 'eu' },
};

const evaluate = (expression: string): unknown => expressions.compile(expression).evaluate(values);

describe('an expression is true if what it says is:', () => {
  test.each<[string, boolean]>([
    ['eventType == "order.created"', true],
    ['eventType.startsWith("order.")', true],
    ['eventType in ["order.created", "order.paid"]', true],
    ['eventType.endsWith(".paid")', false],
    ['payload.total > 100', true],
    ['payload.total >= 120.5 && payload.total < 121', true],
    ['payload.count == 3', true],
    ['3 == payload.count', true],
    ['payload.count == 3.0', true],
    ['payload.count != 3', false],
    ['payload.count in [1, 2, 3]', true],
    ['payload.count + 1 == 4', true],
    ['1 + payload.count == 4', true],
    ['payload.count - 1 == 2', true],
    ['10 - payload.count == 7', true],
    ['payload.count * 2 == 6', true],
    ['payload.count / 2 == 1.5', true],
    ['6 / payload.count == 2', true],
    ['payload.count % 2 == 1', true],
    ['7 % payload.count == 1', true],
    ['payload.total % payload.count == 0.5', true],
    ['payload.total * payload.count == 361.5', true],
    ['7 / 2 == 3', true],
    ['payload.count / 0 > 1000000', true],
    ['-payload.count == -3', true],
    ['payload.id == 12345678901234567890', true],
    ['payload.id == 12345678901234567891', false],
    ['payload.id > payload.count', true],
    ['payload.currency == "EUR" ? payload.total > 100 : payload.total > 120', true],
    ['payload.paid', true],
    ['!payload.paid', false],
    ['payload.paid == true', true],
    ['payload.note == null', true],
    ['payload.currency == null', false],
    ['payload.currency != null', true],
    ['payload.currency == 1', false],
    ['payload.customer.address.country == "FR"', true],
    ['payload["customer"]["name"] == "Ada"', true],
    ['payload.customer.name.lowerAscii() == "ada"', true],
    ['payload.customer == {"name": "Ada", "address": {"country": "FR"}}', true],
    ['has(payload.customer.email)', false],
    ['has(payload.customer) && payload.customer.name != ""', true],
    ['has(payload.note)', true],
    ['"customer" in payload', true],
    ['"toString" in payload', false],
    ['"constructor" in payload', false],
    ['payload.?discount.orValue(0) > 5', false],
    ['payload.?customer.?address.?country.orValue("") == "FR"', true],
    ['payload.?discount.hasValue()', false],
    ['payload[?"total"].orValue(0) > 1', true],
    ['"eu" in payload.tags', true],
    ['payload.tags[0] == "new"', true],
    ['payload.tags == ["new", "eu"]', true],
    ['payload.mixed == [1, "a", [2], {"b": 3}]', true],
    ['payload.mixed == payload.tags', false],
    ['size(payload.tags) == 2', true],
    ['payload.lines.exists(line, line.sku == "B-2")', true],
    ['payload.lines.all(line, line.price * line.quantity >= 20)', true],
    ['payload.lines.exists_one(line, line.price > 50)', true],
    ['payload.lines.filter(line, line.price > 50).size() == 1', true],
    ['size(payload.lines.filter(line, line.price > 5)) == 2', true],
    ['payload.customer.filter(key, key == "name").size() == 1', true],
    ['payload.mixed.filter(item, type(item) == list).size() + 1 == 2', true],
    ['payload.customer.exists(key, key == "name")', true],
    ['metadata.all(key, key != "")', true],
    ['["new", "old"].exists(tag, tag in payload.tags)', true],
    ['payload.lines[1].price in [1, 99.5]', true],
    ['payload.count in [1, 3]', true],
    ['int(payload.total) == 120', true],
    ['size(payload.currency) == 3 && payload.currency.size() == 3', true],
    ['size(payload.customer) == 2 && size([1]) == 1', true],
    ['bool(payload.paid)', true],
    ['payload.id in [12345678901234567890]', true],
    ['payload.id in [12345678901234567891]', false],
    ['payload.customer.address in [{"country": "DE"}, {"country": "FR"}]', true],
    ['payload.mixed[2] in payload.mixed', true],
    ['payload.mixed != payload.tags', true],
    ['payload.mixed != [1, "a", [2], {"b": 3}]', false],
    ['timestamp(payload.at) in [timestamp("2026-02-01T00:00:00Z")]', true],
    ['duration(payload.lasts) in [duration("1h30m")]', true],
    ['cel.bind(rest, payload.total - 100, rest > 20 && rest < 21)', true],
    ['metadata.source == "web"', true],
    ['metadata["x-region"] == "eu"', true],
    ['"source" in metadata', true],
    ['has(metadata.trace)', false],
    ['size(metadata) == 2', true],
    ['payload.currency.matches("^E[A-Z]R$")', true],
    ['payload.currency.matches("(?i)eur")', true],
    ['payload.lines.all(line, line.sku.matches("^[A-Z]-\\\\d$"))', true],
    ['timestamp(payload.at) > timestamp("2026-01-01T00:00:00Z")', true],
    ['timestamp(payload.at) == timestamp("2026-02-01t01:00:00+01:00")', true],
    ['timestamp(payload.seconds) == timestamp(payload.at)', true],
    ['timestamp(1769904000) == timestamp(payload.at)', true],
    ['timestamp(payload.at) - timestamp("2026-01-01T00:00:00Z") == duration("744h")', true],
    ['timestamp("2028-02-29T00:00:00Z").getMonth() == 1', true],
    ['timestamp("0050-12-31T23:59:59Z").getFullYear() == 50', true],
    ['timestamp(payload.at).getFullYear() == 2026', true],
    ['timestamp(payload.at).getHours() < 6', true],
    ['duration(payload.lasts) > duration("1h")', true],
    ['int("42") + 1 == 43', true],
    ['string(payload.count) == "3"', true],
    ['double("1.5") == 1.5', true],
    ['type(payload.count) == double', true],
    ['payload.missing == 1 || payload.paid', true],
    ['payload.paid || payload.missing == 1', true],
    ['payload.missing == 1 && payload.zero == 1', false],
    ['"matches (" == payload.currency', false],
    ['payload.five.exists(x, x.b == 1) || payload.paid', true],
    ['payload.fifty.exists(x, x == "end")', true],
    ['// a comment with call(s)\npayload.paid', true],
  ])('%s is %s', (expression, expected) => {
    expect(evaluate(expression)).toBe(expected);
  });
});

describe('the reason why an expression cannot be evaluated has its position:', () => {
  test.each([
    ['payload.missing == 1', 'line 1:9: No such key: missing'],
    ['payload.paid &&\n  payload.customer.email == ""', 'line 2:20: No such key: email'],
    ['payload.constructor == null', 'line 1:9: No such key: constructor'],
    ['payload.__proto__ == null', 'line 1:9: No such key: __proto__'],
    ['payload.currency.length == 3', 'line 1:18: No such key: length'],
    ['payload.currency > 5', 'line 1:1: no such overload: dyn<string> > int'],
    ['payload.total.matches("1")', "line 1:1: found no matching overload for 'double.matches(string)'"],
    ['payload.tags[2] == ""', 'line 1:1: No such key: index out of bounds, index 2 >= size 2'],
    ['1 / 0 == 1', 'line 1:1: division by zero'],
    [
      'timestamp(payload.currency) > timestamp(0)',
      'timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970',
    ],
    [
      'timestamp("2026-01-31T12:00:00") > timestamp(0)',
      'timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970',
    ],
    ...['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-31T24:00:00Z', '2025-02-29T12:00:00+01:00'].map(
      (text): [string, string] => [
        `timestamp("${text}") > timestamp(0)`,
        'timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970',
      ],
    ),
    [
      'timestamp(payload.total * 1e300) > timestamp(0)',
      'timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970',
    ],
    ['duration(payload.currency) > duration("1s")', 'line 1:1: Invalid duration string: EUR'],
    [`duration("${'1'.repeat(32)}s") > duration("1s")`, 'duration() takes at most 32 characters, not 33'],
    ['payload.currency + payload.currency == ""', 'line 1:1: no such overload: dyn<string> + dyn<string>'],
    ['payload.tags + payload.tags == []', 'line 1:1: no such overload: dyn<list<dyn>> + dyn<list<dyn>>'],
    ['payload.more.exists(x, x == "y")', 'all, exists and filter go through 1000 elements at most, not 1001'],
    ['payload.keys.all(key, key != "")', 'all, exists and filter go through 1000 elements at most, not 1001'],
    [
      'payload.more.filter(x, x == "y").size() == 0',
      'all, exists and filter go through 1000 elements at most, not 1001',
    ],
    ['payload.total.exists(x, x == 1)', 'all, exists and filter go through lists and maps only'],
    [
      'payload.items.filter(x, x == 1).size() == 0',
      'all, exists and filter go through 1000 elements at most, not 10001',
    ],
    ['2 in payload.items', 'in looks through 10000 items at most, not 10001'],
    ['payload.long in payload.tags', 'in takes at most 4096 characters, not 4097'],
    ['payload.long.matches("x")', 'matches takes at most 4096 characters, not 4097'],
    ['payload.long.lowerAscii() == ""', 'lowerAscii takes at most 4096 characters, not 4097'],
    ['payload.long.upperAscii() == ""', 'upperAscii takes at most 4096 characters, not 4097'],
    ['payload.letters.contains(payload.long)', 'contains takes at most 4096 characters, not 4097'],
    ['payload.longest.contains("y")', 'contains and size look through at most 65536 characters in all'],
    ['size(payload.longest) == 1', 'contains and size look through at most 65536 characters in all'],
    ['payload.thousand.exists(x, x > 1 || x > 2)', 'more than 50 failures: no such overload: dyn<string> > int'],
    [
      'payload.texts.exists(x, x.matches("y"))',
      'matches, lowerAscii and upperAscii read at most 32768 characters in all',
    ],
    ['int(payload.digits) == 1', 'int() takes at most 64 characters, not 65'],
    ['double(payload.digits) == 1.0', 'double() takes at most 64 characters, not 65'],
    ['bool(payload.digits)', 'bool() takes at most 64 characters, not 65'],
    ['int(payload.huge) == 1', 'int() takes whole numbers of 64 bits'],
    ['int(payload.currency) == 1', 'line 1:1: int() type error: cannot convert to int'],
  ])('%j: %s', (expression, reason) => {
    const { evaluate: run } = expressions.compile(expression);
    let failure: unknown;
    try {
      run(values);
    } catch (error) {
      failure = error;
    }
    expect(explainFailure(expression, failure)).toBe(reason);
  });

  test('even if something other than an Error is thrown', () => {
    expect(explainFailure('true', 'stopped')).toBe('stopped');
  });
});

test('the type is known if it does not depend on the values', () => {
  const types = ['payload.total > 1', 'payload.total', 'size(payload)', 'eventType', '[1]'];
  expect(types.map((each) => expressions.compile(each).type)).toEqual(['bool', 'dyn', 'int', 'string', 'list<int>']);
});

test('an expression has the same result whatever others were compiled in between', () => {
  const first = expressions.compile('payload.tags.exists(tag, tag == "eu")');
  expressions.compile('payload.tags.all(tag, tag.matches("^n"))').evaluate(values);
  expect([first.evaluate(values), first.evaluate(values)]).toEqual([true, true]);
});

describe('the library still behaves as this file expects:', () => {
  test('lists whose first items differ are compared, at every depth', () => {
    const lists = { ...values, payload: { a: [[1], 'x'], b: [['1'], 'x'], c: [[1], 'x'] } };
    expect(expressions.compile('payload.a == payload.b').evaluate(lists)).toBe(false);
    expect(expressions.compile('payload.a == payload.c').evaluate(lists)).toBe(true);
  });

  test('a pattern is matched by the given engine, inside macros too', () => {
    const own = createExpressions(() => ({ test: (text) => text === 'ours', entries: 1 }));
    const on = (expression: string) => own.compile(expression).evaluate({ payload: { a: 'ours', b: ['b', 'ours'] } });
    expect(on('payload.a.matches("b")')).toBe(true);
    expect(on('payload.b.exists_one(x, x.matches("b"))')).toBe(true);
    expect(on('cel.bind(x, payload.a, x.matches("b"))')).toBe(true);
    expect(on('payload.?c.orValue(payload.a.matches("b"))')).toBe(true);
  });

  test('a rejection is an ExpressionRefused with its cause', () => {
    expect(() => expressions.compile('1 +')).toThrow(ExpressionRefused);
  });
});
