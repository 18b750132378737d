import { expect, test } from '@jest/globals';
import { type CodeLine, jsonLines, lineText, textLines, unfolded } from '../src/ui/code/json-lines.ts';
import { findMatches, markedPieces, MOST_MATCHES } from '../src/ui/code/matches.ts';
import { textSize } from '../src/ui/code/size.ts';

const textsOf = (lines: readonly CodeLine[]): string[] => lines.map(lineText);

test('JSON is formatted as lines with every token unchanged, and short objects stay on one line', () => {
  const json =
    '{"total":561.90,"big":9007199254740993,"text":"a\\u00e9\\"}{,:","customer":{"id":"cus_1813","name":"Jonas Weber","vatId":null},"lines":[{"sku":"T","qty":2,"tags":[],"more":{}}],"none":{}}';
  const lines = jsonLines(json);
  expect(textsOf(lines)).toEqual([
    '{',
    '  "total": 561.90,',
    '  "big": 9007199254740993,',
    String.raw`  "text": "a\u00e9\"}{,:",`,
    '  "customer": {',
    '    "id": "cus_1813",',
    '    "name": "Jonas Weber",',
    '    "vatId": null',
    '  },',
    '  "lines": [',
    '    { "sku": "T", "qty": 2, "tags": [], "more": {} }',
    '  ],',
    '  "none": {}',
    '}',
  ]);
  expect(JSON.parse(textsOf(lines).join('\n'))).toEqual(JSON.parse(json));
  expect(lines.map(({ number }) => number)).toEqual(lines.map((_, at) => at + 1));
  expect(lines[7]?.pieces.map(({ kind }) => kind)).toEqual(['plain', 'key', 'plain', 'atom']);
});

test('a line has the path of the value that starts in it', () => {
  const long = 'x'.repeat(60);
  const paths = jsonLines(`{"a":{"two words":"${long}"},"b":["${long}",{"c":"${long}"},[1]]}`).map(({ path }) => path);
  expect(paths).toEqual([
    '$',
    '$.a',
    '$.a["two words"]',
    undefined,
    '$.b',
    '$.b[0]',
    '$.b[1]',
    '$.b[1].c',
    undefined,
    '$.b[2]',
    undefined,
    undefined,
  ]);
  expect(jsonLines('12.50', 'payload')[0]?.path).toBe('payload');
});

test('a folded object hides its lines up to its closing line', () => {
  const lines = jsonLines(`{"a":{"b":"${'x'.repeat(60)}"},"c":1}`);
  expect(lines.map(({ end }) => end)).toEqual([5, 3, undefined, undefined, undefined, undefined]);
  expect(unfolded(lines, new Set())).toEqual([0, 1, 2, 3, 4, 5]);
  expect(unfolded(lines, new Set([1]))).toEqual([0, 1, 4, 5]);
  expect(unfolded(lines, new Set([0, 1]))).toEqual([0]);
});

test('text keeps its lines, and a final newline does not add one', () => {
  expect(textsOf(textLines('  a\n\nb\n'))).toEqual(['  a', '', 'b']);
  expect(textsOf(textLines('\n'))).toEqual(['']);
  expect(textLines('  a')[0]?.indent).toBe(2);
});

test('a long line is divided without losing a character, and only its first part has a number', () => {
  const text = `x${'😀'.repeat(3_000)}`;
  const lines = textLines(`short\n${text}`);
  expect(textsOf(lines).slice(1).join('')).toBe(text);
  expect(lines.map(({ number }) => number)).toEqual([1, 2, undefined, undefined, undefined]);
  for (const line of textsOf(lines)) expect(line).not.toMatch(/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/);
  const json = `{"a":"${'y'.repeat(5_000)}","b":1}`;
  expect(textsOf(jsonLines(json)).join('').replaceAll(/\s/g, '')).toBe(json);
});

test('a search ignores case, and finds text across the parts of a divided line', () => {
  const lines = textLines(`Order (1)\n${'a'.repeat(1_998)}needle\norder`);
  expect(findMatches(lines, 'ORDER').lines).toEqual([0, 3]);
  expect(findMatches(lines, '(1)').lines).toEqual([0]);
  const { lines: found, ranges } = findMatches(lines, 'needle');
  expect(found).toEqual([1]);
  expect([ranges.get(1), ranges.get(2)]).toEqual([
    [{ from: 1_998, to: 2_000, match: 0 }],
    [{ from: 0, to: 4, match: 0 }],
  ]);
  expect(findMatches(lines, '').lines).toEqual([]);
  expect(findMatches(textLines('aa'.repeat(MOST_MATCHES)), 'a').lines).toHaveLength(MOST_MATCHES);
});

test('pieces are cut where a match starts and ends', () => {
  const pieces = [
    { text: '"ab"', kind: 'key' },
    { text: ': ', kind: 'plain' },
  ] as const;
  expect(
    markedPieces(pieces, [
      { from: 1, to: 2, match: 0 },
      { from: 3, to: 5, match: 1 },
    ]),
  ).toEqual([
    { text: '"', kind: 'key' },
    { text: 'a', kind: 'key', match: 0 },
    { text: 'b', kind: 'key' },
    { text: '"', kind: 'key', match: 1 },
    { text: ':', kind: 'plain', match: 1 },
    { text: ' ', kind: 'plain' },
  ]);
});

test('a size is in bytes of UTF-8, with decimal units', () => {
  expect([textSize('é'), textSize('a'.repeat(3_800)), textSize('a'.repeat(1_200_000))]).toEqual([
    '2 B',
    '3.8 KB',
    '1.2 MB',
  ]);
  expect(textSize('a'.repeat(999_999))).toBe('1.0 MB');
});
