import { describe, expect, test } from '@jest/globals';
import { compilePattern } from '../pattern.ts';
import { createExpressions } from './expressions.ts';

const { compile } = createExpressions(compilePattern);

const nested = (levels: number): string => (levels === 0 ? '1' : `[${nested(levels - 1)}]`);
const joined = (count: number, part: string, operator: string): string =>
  Array.from({ length: count }, () => part).join(operator);

describe('an expression at its bound is accepted:', () => {
  test.each([
    ['2,000 characters', `payload.a == "${'x'.repeat(1_985)}"`],
    [
      'three comprehensions side by side',
      'payload.a.all(x, x > 1) && payload.a.exists(x, x > 2) && payload.b.exists_one(x, x)',
    ],
    ['counting', 'payload.a.filter(x, x > 1).size() > 2 && size(payload.a.filter(x, x > 2)) > 3'],
    ['a list of what is the same for all messages', 'payload.a in [-1, timestamp("2026-01-01T00:00:00Z"), 1 + 1]'],
    ['lists three levels deep', `payload.a == ${nested(3)}`],
    ['a list of 100', `payload.a in [${joined(100, '1', ',')}]`],
    ['a pattern of 200 characters', `payload.a.matches("^${'x'.repeat(199)}")`],
    ['four patterns', joined(4, 'payload.a.matches("x")', ' || ')],
    ['a pattern with counts', 'payload.a.matches("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")'],
    ['299 nodes', joined(150, 'true', ' && ')],
    [
      'names of functions in strings and comments',
      'payload.a == "eval(1)" && payload.b == \'exec (2)\' || payload.c == r"""f("x")""" // g(1)',
    ],
    ['in with brackets', '1 in (payload.a)'],
  ])('%s', (_, expression) => {
    expect(() => compile(expression)).not.toThrow();
  });
});

describe('an expression is rejected with the reason:', () => {
  test.each([
    ['', 'line 1:1: The expression ends too early'],
    ['payload.total >', 'line 1:16: The expression ends too early'],
    ['payload.', 'line 1:9: The expression ends too early'],
    ['(payload.paid', 'line 1:14: The expression ends too early'],
    ['payload.total > )', 'line 1:17: Unexpected )'],
    ['(payload.paid payload.sent', 'line 1:15: Expected ), found a name'],
    ['payload.total = 5', 'line 1:15: Unexpected character: =; equality is written =='],
    ['payload.total > 5 and payload.paid', "line 1:19: Unexpected character: 'd'"],
    ['evnt == "a"', 'line 1:1: Unknown variable: evnt; values of the payload are read as payload.evnt'],
    ['evntType == "a"', 'line 1:1: Unknown variable: evntType; did you mean eventType?'],
    ['event.payload.a', 'line 1:1: Unknown variable: event; eventType, payload and metadata are read without event'],
    [
      'payload.a == 1 &&\n total > 2',
      'line 2:2: Unknown variable: total; values of the payload are read as payload.total',
    ],
    ['metadata.source == 1', 'line 1:1: no such overload: string == int'],
    ['eventType > 5', 'line 1:1: no such overload: string > int'],
    ['eventType && true', "line 1:1: Logical operator requires bool operands, got 'string'"],
    ['"unfinished', 'line 1:1: Unterminated string'],
    [`payload.a == "${'x'.repeat(1_986)}"`, 'must have at most 2000 characters'],
    [joined(151, 'true', ' && '), 'line 1:1: Exceeded maxAstNodes (300)'],
    ['('.repeat(40), 'line 1:33: Exceeded maxDepth (32)'],
    [`payload.a in [${joined(101, '1', ',')}]`, 'line 1:215: Exceeded maxListElements (100)'],
    ['now() > timestamp(0)', 'line 1:1: unknown function "now"'],
    ['payload.paid &&\n  fetch ("x")', 'line 2:3: unknown function "fetch"'],
    ['payload.a.hex() == ""', 'line 1:11: unknown function "hex"'],
    ['bytes("a") == payload.a', 'line 1:1: unknown function "bytes"'],
    ['b"a" == payload.a', 'line 1:1: bytes are not available'],
    ['timestamp(0).getDayOfYear() == 1', 'line 1:14: unknown function "getDayOfYear"'],
    ['timestamp(0).getHours("Europe/Paris") == 1', 'line 1:1: getHours takes 0 arguments, not 1'],
    ['size(1, 2) == 1', 'line 1:1: size takes 1 argument, not 2'],
    ['"a".contains() == ""', 'line 1:1: contains takes 1 argument, not 0'],
    ['startsWith("a")', 'line 1:1: unknown function "startsWith"'],
    ['payload.a.timestamp(1)', 'line 1:1: unknown function "timestamp"'],
    ['payload.a.all(x, x.b.exists(y, y > 1))', 'line 1:18: all, exists and filter cannot be nested'],
    [
      'payload.a.exists(x, payload.a.filter(y, y == x).size() > 1)',
      'line 1:21: all, exists and filter cannot be nested',
    ],
    ...[
      'payload.a.filter(x, x > 1) == []',
      'payload.a.filter(x, x > 1).exists(x, x > 2)',
      'payload.a.filter(x, x)[0].b',
    ].map((expression): [string, string] => [
      expression,
      'line 1:1: filter only counts elements: use it as list.filter(x, …).size() or size(list.filter(x, …))',
    ]),
    ...[
      'map(x, x)',
      'join(",")',
      'split(",")',
      'substring(1)',
      'trim()',
      'indexOf("x")',
      'lastIndexOf("x")',
      'replace("a", "b")',
    ].map((call): [string, string] => [
      `payload.a.${call} == payload.b`,
      `line 1:11: ${call.slice(0, call.indexOf('('))} is not available: a filter builds no texts and no lists`,
    ]),
    ['eventType + "x" == "y"', 'line 1:1: no such overload: string + string'],
    ['payload.a + "x" == "y"', 'line 1:1: no such overload: dyn + string'],
    ['[1] + [2] == payload.a', 'line 1:1: no such overload: list<int> + list<int>'],
    ['payload.a == [payload.b]', 'line 1:14: a list or a map can contain only constants, not members of the message'],
    [
      'payload.a == {"b": eventType}',
      'line 1:14: a list or a map can contain only constants, not members of the message',
    ],
    [`payload.a == ${nested(4)}`, 'line 1:17: lists and maps may be nested 3 levels deep'],
    ['{1: 1} == payload', "line 1:2: a map's keys must be written out in quotes"],
    ['payload.a.matches(payload.b)', 'line 1:27: matches takes a pattern that is written out in quotes'],
    ['payload.a.matches(eventType)', 'line 1:19: matches takes a pattern that is written out in quotes'],
    ['payload.a.matches()', 'line 1:1: matches takes 1 argument, not 0'],
    [`payload.a.matches("${'x'.repeat(201)}")`, 'line 1:19: a pattern must have at most 200 characters'],
    [joined(5, 'payload.a.matches("x")', '||'), 'line 1:115: must have at most 4 patterns'],
    ['payload.a.matches("(a{1000}){1000}")', 'line 1:19: the pattern repeats too much'],
    ['payload.a.matches("[^a]{0,1000}[^b]{0,1000}")', 'line 1:19: the pattern repeats too much'],
    ['payload.a.matches("[ab]*a[ab]{20}[xy]")', 'line 1:19: the pattern cannot be used: it needs too many states'],
    ['payload.a.matches("(a")', 'line 1:19: the pattern cannot be used: error parsing regexp: missing closing ): `(a`'],
    [
      'payload.a.matches("(?=a)")',
      'line 1:19: the pattern cannot be used: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ])('%j: %s', (expression, reason) => {
    let message = '';
    try {
      compile(expression);
    } catch (error) {
      message = String(error);
    }
    expect(message).toBe(`ExpressionRefused: ${reason}`);
  });
});
