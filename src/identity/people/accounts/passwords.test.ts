import { expect, test } from '@jest/globals';
import { createPasswords, passwordProblem } from './passwords.ts';

const PARAMETERS = '$argon2id$v=19$m=19456,t=2,p=1$';

test('a hash is Argon2id with 19 MiB, different each time, of the composed form of the password', async () => {
  const passwords = createPasswords();
  const [one, other] = [await passwords.hash('nöun lantern fifty'), await passwords.hash('nöun lantern fifty')];
  expect([one, other].map((text) => text.startsWith(PARAMETERS))).toEqual([true, true]);
  expect(other).not.toBe(one);
  expect(await passwords.verify('no\u0308un lantern fifty', one)).toEqual({ isRight: true });
  expect(await passwords.verify('noun lantern fifty', one)).toEqual({ isRight: false });
  expect(await passwords.verify('nöun lantern fifty', undefined)).toEqual({ isRight: false });
});

test('fifty wait while two run, one more is UNAVAILABLE at once, and afterwards there is room again', async () => {
  const passwords = createPasswords();
  const asked = Array.from({ length: 52 }, () => passwords.verify('x', undefined));
  await expect(passwords.verify('x', undefined)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
  expect(new Set((await Promise.all(asked)).map(({ isRight }) => isRight))).toEqual(new Set([false]));
  expect(await passwords.verify('x', undefined)).toEqual({ isRight: false });
});

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
  expect(passwordProblem(password, OWN)).toContain('must be harder to guess');
});

test('the length of a password is counted in characters, after composition', () => {
  expect(passwordProblem('vqhznmlpwet', [])).toContain('at least 12');
  expect(passwordProblem('💧🌋🎈🚀🍋🧭🪵', [])).toContain('at least 12');
  expect(passwordProblem('x7'.repeat(65), [])).toContain('at most 128');
  // Twelve letters, each with a combining accent.
  expect(passwordProblem('va\u0301qe\u0301zmo\u0301lpwuj', [])).toBeUndefined();
  expect(passwordProblem('a\u0301b\u0301c\u0301d\u0301e\u0301f\u0301', [])).toContain('at least 12');
});
