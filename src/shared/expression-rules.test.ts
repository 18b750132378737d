import { describe, expect, test } from '@jest/globals';
import { RE2JS } from 're2js';
import { createExpressions } from './expressions.ts';

const { compile } = createExpressions(
  { eventType: 'string', payload: 'map', metadata: 'map<string, string>' },
  (pattern) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  },
);

const nested = (levels: number): string => (levels === 0 ? '1' : `[${nested(levels - 1)}]`);
const joined = (count: number, part: string, operator: string): string =>
  Array.from({ length: count }, () => part).join(operator);

describe('at its bound an expression is taken:', () => {
  test.each([
    ['2,000 characters', `payload.a == "${'x'.repeat(1_985)}"`],
    ['two comprehensions inside each other', 'payload.a.all(x, x.b.exists(y, y == 1))'],
    ['three of them behind each other', 'payload.a.filter(x, x > 1).map(x, x + 1).all(x, x < 9)'],
    ['lists three levels deep', `payload.a == ${nested(3)}`],
    ['a list of 100', `payload.a in [${joined(100, '1', ',')}]`],
    ['a pattern of 200 characters', `payload.a.matches("${'x'.repeat(200)}")`],
    ['four patterns', joined(4, 'payload.a.matches("x")', ' || ')],
    ['a pattern with counts', 'payload.a.matches("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")'],
    ['299 nodes', joined(150, 'true', ' && ')],
    [
      'words that are called nowhere',
      'payload.a == "eval(1)" && payload.b == \'exec (2)\' || payload.c == r"""f("x")""" // g(1)',
    ],
    ['in with brackets', '1 in (payload.a)'],
  ])('%s', (_, expression) => {
    expect(() => compile(expression)).not.toThrow();
  });
});

describe('an expression is refused, with the reason:', () => {
  test.each([
    ['', 'line 1:1: Unexpected token: EOF'],
    ['payload.total >', 'line 1:16: Unexpected token: EOF'],
    ['payload.total = 5', 'line 1:15: Unexpected character: ='],
    ['payload.total > 5 and payload.paid', "line 1:19: Unexpected character: 'd'"],
    ['evnt == "a"', 'line 1:1: Unknown variable: evnt'],
    ['payload.a == 1 &&\n total > 2', 'line 2:2: Unknown variable: total'],
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
    ['"a".substring() == ""', 'line 1:1: substring takes 1 or 2 arguments, not 0'],
    ['startsWith("a")', 'line 1:1: unknown function "startsWith"'],
    ['payload.a.timestamp(1)', 'line 1:1: unknown function "timestamp"'],
    [
      'payload.a.all(x, x.b.all(y, y.c.all(z, z > 1)))',
      'line 1:29: all, exists, filter and map may be nested 2 levels deep',
    ],
    [
      'payload.a.map(x, x.b.map(y, y.c.filter(z, z))) == []',
      'line 1:29: all, exists, filter and map may be nested 2 levels deep',
    ],
    [`payload.a == ${nested(4)}`, 'line 1:17: lists and maps may be nested 3 levels deep'],
    ['{payload.a: 1} == payload', "line 1:10: a map's keys must be written out in quotes"],
    ['{1: 1} == payload', "line 1:2: a map's keys must be written out in quotes"],
    ['payload.a.matches(payload.b)', 'line 1:27: matches takes a pattern that is written out in quotes'],
    ['payload.a.matches("a" + "b")', 'line 1:19: matches takes a pattern that is written out in quotes'],
    ['payload.a.matches()', 'line 1:1: matches takes 1 argument, not 0'],
    [`payload.a.matches("${'x'.repeat(201)}")`, 'line 1:19: a pattern must have at most 200 characters'],
    [joined(5, 'payload.a.matches("x")', '||'), 'line 1:115: must have at most 4 patterns'],
    ['payload.a.matches("(a{1000}){1000}")', 'line 1:19: the pattern repeats too much'],
    ['payload.a.matches("[^a]{0,1000}[^b]{0,1000}")', 'line 1:19: the pattern repeats too much'],
    ['payload.a.matches("[^a]{0,450}[^b]{0,450}")', 'line 1:19: the pattern repeats too much'],
    ['payload.a.matches("(a")', 'line 1:19: the pattern is not RE2: error parsing regexp: missing closing ): `(a`'],
    [
      'payload.a.matches("(?=a)")',
      'line 1:19: the pattern is not RE2: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
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
