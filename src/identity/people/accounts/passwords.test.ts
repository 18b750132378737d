import { expect, test } from '@jest/globals';
import { createPasswords } from './passwords.ts';

const PARAMETERS = '$argon2id$v=19$m=19456,t=2,p=1$';

test('a hash is Argon2id with 19 MiB, another one each time, and of the composed form of the password', async () => {
  const passwords = createPasswords();
  const [one, other] = [await passwords.hash('nöun lantern fifty'), await passwords.hash('nöun lantern fifty')];
  expect([one, other].map((text) => text.startsWith(PARAMETERS))).toEqual([true, true]);
  expect(other).not.toBe(one);
  expect(await passwords.verify('no\u0308un lantern fifty', one)).toEqual({ isRight: true });
  expect(await passwords.verify('noun lantern fifty', one)).toEqual({ isRight: false });
  expect(await passwords.verify('nöun lantern fifty', undefined)).toEqual({ isRight: false });
});

test('fifty wait for two that run, one more is UNAVAILABLE at once, and afterwards there is room again', async () => {
  const passwords = createPasswords();
  const asked = Array.from({ length: 52 }, () => passwords.verify('x', undefined));
  await expect(passwords.verify('x', undefined)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
  expect(new Set((await Promise.all(asked)).map(({ isRight }) => isRight))).toEqual(new Set([false]));
  expect(await passwords.verify('x', undefined)).toEqual({ isRight: false });
});
