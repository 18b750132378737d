import { describe, expect, test } from '@jest/globals';
import {
  elementSpans,
  ExactJson,
  exactPieces,
  memberSpan,
  memberSpans,
  stringifyExact,
  wholeSpan,
} from './exact-json.ts';

/** The text of a member, as memberSpan finds it in the whole text. */
function member(text: string, key: string): string | undefined {
  const span = memberSpan(text, wholeSpan(text), key);
  return span && text.slice(span.start, span.end);
}

const elements = (text: string): string[] =>
  elementSpans(text, wholeSpan(text)).map(({ start, end }) => text.slice(start, end));

/** Every way to write a value that JSON.parse accepts, the awkward ones first. */
const VALUES = [
  '""',
  '"\\""',
  '"\\\\"',
  '"\\\\\\""',
  '"}],{[:\\\\\\\\"',
  '"\\u0022"',
  '"\\ud800"',
  '"😀 é \u2028"',
  '0',
  '-0',
  '1.10',
  '12345678901234567890',
  '0.1e-7',
  '1E+400',
  'true',
  'false',
  'null',
  '{}',
  '[]',
  '{ }',
  '[ ]',
  '[[],[[]],{}]',
  '{"a":{"a":{"a":"}"}}}',
  '{"payload":1,"a":"]"}',
  '[ 1 , "]" , { "b" : [ 2 ] } ]',
];

const SPACES = ['', ' ', '\t', '\r\n', ' \n\t\r '];

test('memberSpans finds each member where memberSpan finds it', () => {
  for (const value of VALUES) {
    const text = ` { "before" : ${value} , "a" : 1 , "" : [] , "\\u0061" : ${value} } `;
    const names = Object.keys(JSON.parse(text) as object);
    const spans = memberSpans(text, wholeSpan(text));
    expect([...spans.keys()]).toEqual(names);
    for (const name of names) expect(spans.get(name)).toEqual(memberSpan(text, wholeSpan(text), name));
  }
  expect(memberSpans('{}', wholeSpan('{}')).size).toBe(0);
});

describe('memberSpan', () => {
  test.each(VALUES)('finds %s whatever stands around it', (value) => {
    for (const space of SPACES) {
      for (const neighbour of VALUES) {
        const text = [
          `${space}{${space}"before"${space}:${space}${neighbour}${space},`,
          `${space}"payload"${space}:${space}${value}${space},`,
          `${space}"behind"${space}:${space}${neighbour}${space}}${space}`,
        ].join('');
        expect(JSON.parse(text)).toHaveProperty('payload');
        expect(member(text, 'payload')).toBe(value);
        expect(member(text, 'behind')).toBe(neighbour);
        expect(member(text, 'none')).toBeUndefined();
      }
    }
  });

  test.each<[string, string, string, string | undefined]>([
    ['an only member', '{"a":1}', 'a', '1'],
    ['none in an empty object', '{}', 'a', undefined],
    ['none in an empty object with white space', ' { \n } ', 'a', undefined],
    ['not a member of a member', '{"b":{"a":1}}', 'a', undefined],
    ['not a key inside a string', '{"b":"\\"a\\":1"}', 'a', undefined],
    ['not a value that looks like the key', '{"b":"a","c":1}', 'a', undefined],
    ['the last of two with the same key', '{"a":1,"b":2,"a":[3]}', 'a', '[3]'],
    ['the last of two, one written with escapes', '{"a":1,"\\u0061":2}', 'a', '2'],
    ['the last of two, the first written with escapes', '{"\\u0061":1,"a":2}', 'a', '2'],
    ['a key with a quote', '{"a\\"b":1}', 'a"b', '1'],
    ['a key with a backslash', '{"a\\\\":1}', 'a\\', '1'],
    ['a key with brackets', '{"}],":1}', '}],', '1'],
    ['the empty key', '{"":1}', '', '1'],
    ['a key beyond the basic plane, written with escapes', '{"\\ud83d\\ude00":1}', '😀', '1'],
    ['__proto__', '{"__proto__":{"a":1}}', '__proto__', '{"a":1}'],
    ['not the prototype', '{"b":1}', 'toString', undefined],
    ['another case is another key', '{"A":1}', 'a', undefined],
  ])('finds %s', (_, text, key, value) => {
    JSON.parse(text);
    expect(member(text, key)).toBe(value);
  });

  test('stays inside the object it is given', () => {
    const text = '[ {"a" : 1 } , {"b" : 2, "a" : 3 } , {"c" : 4} ]';
    const found = elementSpans(text, wholeSpan(text)).map((object) => {
      const span = memberSpan(text, object, 'a');
      return span && text.slice(span.start, span.end);
    });
    expect(found).toEqual(['1', '3', undefined]);
  });

  test('finds the payload of each message of a batch, digit for digit', () => {
    const payloads = ['{"n":1.10}', '{ "n" : 12345678901234567890 }', '{"n":[1e2,{"payload":"}"}]}'];
    const text = `{"messages":[${payloads.map((payload) => `{"eventType":"a","payload":${payload}}`).join(' , ')}]}`;
    const messages = memberSpan(text, wholeSpan(text), 'messages') ?? wholeSpan('');
    const found = elementSpans(text, messages).map((message) => {
      const span = memberSpan(text, message, 'payload') ?? wholeSpan('');
      return text.slice(span.start, span.end);
    });
    expect(found).toEqual(payloads);
  });
});

describe('elementSpans', () => {
  test.each(SPACES)('finds every value with %j around it', (space) => {
    const text = `${space}[${VALUES.map((value) => space + value + space).join(',')}]${space}`;
    JSON.parse(text);
    expect(elements(text)).toEqual(VALUES);
  });

  test.each(['[]', ' [ ] ', '[\n]'])('accepts %j', (text) => {
    expect(elements(text)).toEqual([]);
  });
});

describe('large texts', () => {
  // A scan that starts over at each quote or backslash would need minutes for these; a second is hundreds of times enough.
  const MOST_MS = 1_000;

  test.each<[string, string]>([
    ['a string of a million backslashes', `"${'\\\\'.repeat(500_000)}"`],
    ['a string of half a million quotes', `"${'\\"'.repeat(500_000)}"`],
    ['a string of brackets', `"${'[{'.repeat(500_000)}"`],
    ['100,000 nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a number of a million digits', '9'.repeat(1_000_000)],
    ['a million spaces', `{${' '.repeat(1_000_000)}}`],
  ])('%s: found and quick', (_, value) => {
    const text = `{"a":${value},"payload":${value}}`;
    const startedAt = performance.now();
    expect(member(text, 'payload') === value).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
  });
});

describe('a text that is not JSON, which no caller passes', () => {
  test.each(['{"a', '{"a":"b', '{"a":[1', '{"a":{', '[1', '["', '[{', '{"a":"\\', '[,', '', '['])(
    '%j comes to an end',
    (text) => {
      const read = (): unknown => (text.startsWith('[') ? elements(text) : member(text, 'a'));
      // memberSpan reads keys with JSON.parse, which throws for a key that is cut.
      let ended = false;
      try {
        read();
        ended = true;
      } catch (error) {
        ended = error instanceof SyntaxError;
      }
      expect(ended).toBe(true);
    },
  );
});

describe('stringifyExact', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 1.5],
    ['a number that JSON has not', Number.NaN],
    ['a string with everything in it', '"\\\n\u2028\ud800é😀\0'],
    ['a boolean', false],
    ['an empty object', {}],
    ['an empty array', []],
    ['nested values', { a: [1, { b: null, c: [true, 'x'] }] }],
    ['undefined members and elements', { a: undefined, b: [undefined, 1], c: 2 }],
    ['keys that need escapes', { 'a"b\\\n': 1, '': 2 }],
    ['__proto__ as a key of its own', JSON.parse('{"__proto__":1,"a":2}')],
    ['a date', { at: new Date('2026-11-21T02:21:56.789Z') }],
  ])('writes %s as JSON.stringify does', (_, value) => {
    expect(stringifyExact(value)).toBe(JSON.stringify(value));
  });

  test('writes null for what JSON has no word for', () => {
    expect(stringifyExact(undefined)).toBe('null');
  });

  test.each(VALUES)('keeps %s as it stands', (text) => {
    const exact = new ExactJson(text);
    expect(stringifyExact(exact)).toBe(text);
    expect(stringifyExact({ id: 'msg', payload: exact, list: [exact, 1] })).toBe(
      `{"id":"msg","payload":${text},"list":[${text},1]}`,
    );
  });

  test('writes a Map as an object', () => {
    expect(
      stringifyExact(
        new Map<string, unknown>([
          ['b', 1],
          ['a', new ExactJson('1.0')],
        ]),
      ),
    ).toBe(`{"b":1,"a":1.0}`);
  });

  test('writes null for an element without a value, and leaves out such a member', () => {
    expect(stringifyExact([undefined, { a: undefined, b: 1 }])).toBe('[null,{"b":1}]');
  });
});

test('memberSpans finds each member, and the last value of a key that stands twice', () => {
  const text = '{"a": 1, "b": {"a": [2]}, "a": 1.10}';
  const spans = [...memberSpans(text, wholeSpan(text))].map(([key, { start, end }]) => [key, text.slice(start, end)]);
  expect(spans).toEqual([
    ['a', '1.10'],
    ['b', '{"a": [2]}'],
  ]);
});

describe('exactPieces', () => {
  const row = { id: 'a', payload: new ExactJson('{"n":1.10}'), at: new Date(0), left: undefined };

  test.each<[unknown]>([
    [{ data: [row, row], pagination: { hasMore: true } }],
    [{ data: [], left: undefined, more: {} }],
    [[[1, [2]], []]],
    [new Map([['a', 1n]])],
    [{}],
    [[]],
    [new Date(0)],
    [new ExactJson('1.10')],
    [null],
    ['text'],
    [1n],
  ])('gives the text of stringifyExact: %#', (value) => {
    for (const levels of [0, 1, 2, 3]) expect([...exactPieces(value, levels)].join('')).toBe(stringifyExact(value));
  });

  test('gives each row of a page as one piece', () => {
    const pieces = [...exactPieces({ data: [row, row] })];
    expect(pieces.filter((piece) => piece === stringifyExact(row))).toHaveLength(2);
  });
});
