import { expect, test } from '@jest/globals';
import { jsonProblem } from '../src/lib/json-problem.ts';
import { bytesText, durationText } from '../src/lib/units.ts';
import { de } from '../src/texts/de.ts';
import { en } from '../src/texts/en.ts';

// Every language had the point and the d of the English one.
test.each([
  [0, '0 ms', '0 ms'],
  [820.4, '820 ms', '820 ms'],
  [4_240, '4.2 s', '4,2 s'],
  [41_000, '41 s', '41 s'],
  [185_000, '3 min 5 s', '3 min 5 s'],
  [7_200_000, '2 h', '2 h'],
  [97_200_000, '1 d 3 h', '1 T 3 h'],
])('%d ms are written in the words of each language', (ms, english, german) => {
  expect([durationText(ms, en.units), durationText(ms, de.units)]).toEqual([english, german]);
});

test.each([
  [812, '812 B', '812 B'],
  [4_200, '4.1 KiB', '4,1 KiB'],
  [2_621_440, '2.5 MiB', '2,5 MiB'],
])('%d bytes are written in the words of each language', (bytes, english, german) => {
  expect([bytesText(bytes, en.units), bytesText(bytes, de.units)]).toEqual([english, german]);
});

// Browsers say it in English alone.
test.each([
  ['{"total": 12}', undefined],
  ['{"total": 12,\n  }', 'Ab Zeile 2, Spalte 3 ist das kein JSON.'],
  ['{', expect.stringMatching(/^Ab Zeile 1, Spalte 2 ist das kein JSON\.$|^Das ist kein JSON\.$/)],
])('the fault of %j is said in the language of its reader', (text, german) => {
  expect(jsonProblem(text, de)).toEqual(german);
  expect(jsonProblem(text, en)).toEqual(german === undefined ? undefined : expect.stringContaining('JSON'));
});
