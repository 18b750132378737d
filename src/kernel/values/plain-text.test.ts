import { expect, test } from '@jest/globals';
import { controlCharacterProblem, nameProblem } from './plain-text.ts';

test.each(['\0', '\t', '\n', '\r', '\u001b', '\u001f', '\u007f', '\u0080', '\u009f'])(
  'a text with the control character %j is refused',
  (character) => {
    expect(controlCharacterProblem(`a${character}b`)).toBe('must not contain control characters');
  },
);

test.each(['', ' ', 'Übung 7', '😀', '\u00a0', '\u2028', 7, null, undefined])('%j is taken', (value) => {
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
