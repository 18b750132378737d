import { describe, expect, test } from '@jest/globals';
import { createCookies, newSessionSecret } from './cookie.ts';

const plain = createCookies({ publicBaseUrl: 'http://localhost:3000', allowHttpSignIn: false });
const secure = createCookies({ publicBaseUrl: 'https://api.example.com', allowHttpSignIn: false });
const SECRET = newSessionSecret();

describe('cookies', () => {
  test('are bound to the host, Secure and HttpOnly under https', () => {
    expect(secure.write('session', SECRET, 60_000)).toBe(
      `__Host-posthorn-session=${SECRET}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`,
    );
  });

  test('have neither prefix nor Secure over plain http, where browsers would drop them', () => {
    expect(plain.write('device', SECRET, 1_500)).toBe(
      `posthorn-device=${SECRET}; Max-Age=1; Path=/; HttpOnly; SameSite=Lax`,
    );
  });

  test('are deleted by writing an empty one', () => {
    expect(plain.write('session', undefined, 60_000)).toContain('posthorn-session=; Max-Age=0;');
  });

  test('are read among others', () => {
    expect(plain.read('session', [`a=b; posthorn-session=${SECRET}`, 'c=d'])).toBe(SECRET);
    expect(plain.read('device', [`posthorn-session=${SECRET}`])).toBeUndefined();
  });

  test.each([
    ['several', [`posthorn-session=${SECRET}; posthorn-session=${newSessionSecret()}`]],
    ['the same one in two headers', [`posthorn-session=${SECRET}`, `posthorn-session=${SECRET}`]],
    ['a malformed one', [`posthorn-session=${SECRET}x`]],
    ['an empty one', ['posthorn-session=']],
    ['one of https', [`__Host-posthorn-session=${SECRET}`]],
    ['none', []],
  ])('are not read from %s', (_, headers) => {
    expect(plain.read('session', headers)).toBeUndefined();
  });

  test('an unprefixed one is ignored under https, because a neighbouring host may have planted it', () => {
    expect(secure.read('session', [`posthorn-session=${SECRET}`])).toBeUndefined();
  });
});

describe('plain http', () => {
  test.each(['localhost:3000', 'localhost', '127.0.0.1:80', '127.9.9.9', '[::1]:3000', 'LOCALHOST'])(
    'allows sign-in on this machine: %s',
    (host) => {
      expect(plain.hostProblem(host)).toBeUndefined();
    },
  );

  test.each(['192.168.1.5:3000', 'example.com', 'localhost.example.com', '127.0.0.1.example.com', '', 'a b'])(
    'refuses sign-in for %s',
    (host) => {
      expect(plain.hostProblem(host)).toContain('requires https');
    },
  );

  test('allows sign-in from anywhere if the setting allows it, and https always does', () => {
    const allowed = createCookies({ publicBaseUrl: 'http://10.0.0.1', allowHttpSignIn: true });
    expect(allowed.hostProblem('10.0.0.1')).toBeUndefined();
    expect(secure.hostProblem('api.example.com')).toBeUndefined();
  });
});
