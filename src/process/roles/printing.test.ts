import { expect, test } from '@jest/globals';
import { visible } from './printing.ts';

test('control characters, line separators and direction marks are escaped, letters of any script are not', () => {
  expect(visible('a\u001b[31mred\u0007\u009b1m\u007f\n')).toBe('a\\u001b[31mred\\u0007\\u009b1m\\u007f\\u000a');
  expect(visible('\u202egnp.exe\u2028\u061c')).toBe('\\u202egnp.exe\\u2028\\u061c');
  expect(visible('Žluťoučký 馬 👩‍👩‍👧 نمی‌خواهم')).toBe('Žluťoučký 馬 👩‍👩‍👧 نمی‌خواهم');
});

test('line breaks stay in multi-line text, and JSON keeps its value', () => {
  const value = { name: 'x\u001b\u009b\u202e\n' };
  const shown = visible(JSON.stringify(value, undefined, 2), { keepLines: true });
  for (const character of ['\u001b', '\u009b', '\u202e']) expect(shown).not.toContain(character);
  expect(JSON.parse(shown)).toEqual(value);
});
