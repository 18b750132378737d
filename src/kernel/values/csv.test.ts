import { expect, test } from '@jest/globals';
import { csvLine } from './csv.ts';

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
  'a spreadsheet takes no cell %j for a formula',
  (text) => {
    expect(csvLine([text]).replace(/^"/, '').startsWith("'")).toBe(true);
  },
);
