import { expect, test } from '@jest/globals';
import { passwordProblem } from './password-rules.ts';

const OWN = ['ada.lovelace@example.com', 'Ada Lovelace'];

test.each([
  'correct horse tomato bridge',
  'vqhz-nmlp-wetr',
  'Zwölf Boxkämpfer jagen',
  '7381946205928371',
  'kX9#vT2!pQ7@',
  '我的密码是一个很长的句子吧好的',
  'tangerine orbit mill',
])('%j is taken', (password) => {
  expect(passwordProblem(password, OWN)).toBeUndefined();
});

test.each([
  'password1234',
  'Passw0rd!2026',
  'P@$$w0rd1234',
  'qwertyuiop12',
  '123456789012',
  '111111111111',
  'abcdefghijkl',
  'abcabcabcabc',
  'iloveyou2026!',
  'Welcome2026!!',
  'adminadminadmin',
  'changeme12345',
  'Summer2026!!!!',
  'adalovelace1',
  'lovelace-2026',
  'posthorn1234',
  'passwordpasswordpassword',
])('%j is too easy to guess', (password) => {
  expect(passwordProblem(password, OWN)).toContain('too easy');
});

test('its length is counted in characters, after composition', () => {
  expect(passwordProblem('vqhznmlpwet', [])).toContain('at least 12');
  expect(passwordProblem('💧🌋🎈🚀🍋🧭🪵', [])).toContain('at least 12');
  expect(passwordProblem('x7'.repeat(65), [])).toContain('at most 128');
  // Twelve letters, each with a combining accent.
  expect(passwordProblem('va\u0301qe\u0301zmo\u0301lpwuj', [])).toBeUndefined();
  expect(passwordProblem('a\u0301b\u0301c\u0301d\u0301e\u0301f\u0301', [])).toContain('at least 12');
});
