import { expect, test } from '@jest/globals';
import { controlCharacterProblem, nameProblem, fieldPath, csvLine } from './text.ts';

test.each(['\0', '\t', '\n', '\r', '\u001b', '\u001f', '\u007f', '\u0080', '\u009f'])(
  'a text with the control character %j is rejected',
  (character) => {
    expect(controlCharacterProblem(`a${character}b`)).toBe('must not contain control characters');
  },
);

test.each(['', ' ', 'Übung 7', '😀', '\u00a0', '\u2028', 7, null, undefined])('%j is accepted', (value) => {
  expect(controlCharacterProblem(value)).toBeUndefined();
});

test.each([
  [' ', 'must not be blank'],
  ['\u00a0\u2003', 'must not be blank'],
  ['\u200b\u3164', 'must not be blank'],
  ['\t', 'must not contain control characters'],
  ['a\u0007', 'must not contain control characters'],
  ['a\u202eZ', 'must not contain characters that change the direction of text'],
  ['\u2066a', 'must not contain characters that change the direction of text'],
  ['شركة', undefined],
  [' a ', undefined],
  [undefined, undefined],
])('as a name %j has the problem %j', (name, problem) => {
  expect(nameProblem(name)).toBe(problem);
});

test.each([
  [['messages', 3, 'eventType'], 'messages[3].eventType'],
  [['payload', 'two words', 'a'], 'payload["two words"].a'],
  [[2, 'name'], '[2].name'],
  [['headers', 'x-key'], 'headers["x-key"]'],
  [[''], '[""]'],
  [[], 'body'],
])('the path %j is written as %s', (segments, path) => {
  expect(fieldPath(segments)).toBe(path);
});

test('a long key is cut to 64 characters', () => {
  expect(fieldPath(['k'.repeat(100)])).toBe('k'.repeat(64));
});

test.each<[string, (string | number | undefined)[], string]>([
  ['plain cells', ['a', 'b c', ''], 'a,b c,'],
  ['numbers, also below zero', [1, -2.5], '1,-2.5'],
  ['absent values', [undefined, 'a', undefined], ',a,'],
  [
    'commas, quotes and lines',
    ['a,b', 'say "no"', 'one\ntwo', 'one\r\ntwo'],
    '"a,b","say ""no""","one\ntwo","one\r\ntwo"',
  ],
  ['JSON', ['{"a": 12.50}'], '"{""a"": 12.50}"'],
])('%s', (_, cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠a'])(
  'a spreadsheet does not take the cell %j for a formula',
  (text) => {
    expect(csvLine([text]).replace(/^"/, '').startsWith("'")).toBe(true);
  },
);
