import { describe, expect, test } from '@jest/globals';
import { filledAddress, filledPath, hasWrittenOrigin } from './addresses.ts';

const filledWith = (template: string, value: string): string => filledAddress(template, () => value);

describe('a value after the origin', () => {
  test.each([
    ['https://a.example/orders/{{ v }}', '7', 'https://a.example/orders/7'],
    ['https://a.example/orders/{{ v }}', '7/refund', 'https://a.example/orders/7%2Frefund'],
    ['https://a.example/orders/{{ v }}', '../users/1', 'https://a.example/orders/..%2Fusers%2F1'],
    ['https://a.example/orders/{{ v }}', '7?admin=true#x', 'https://a.example/orders/7%3Fadmin%3Dtrue%23x'],
    ['https://a.example/orders/{{ v }}', '..\\users', 'https://a.example/orders/..%5Cusers'],
    ['https://a.example/orders/{{ v }}', '%2e%2e', 'https://a.example/orders/%252e%252e'],
    ['https://a.example/{{ v }}', '/evil.example/', 'https://a.example/%2Fevil.example%2F'],
    ['https://a.example/o/{{ v }}.json', '..', 'https://a.example/o/...json'],
    ['https://a.example?q={{ v }}&limit=1', 'a&limit=9 b', 'https://a.example?q=a%26limit%3D9%20b&limit=1'],
    ['https://a.example/o?q={{ v }}', '', 'https://a.example/o?q='],
    ['https://a.example/o?q={{ v }}', '..', 'https://a.example/o?q=..'],
    ['https://a.example/o#{{ v }}', 'x/y', 'https://a.example/o#x%2Fy'],
  ])('%s with %j is %s', (template, value, expected) => {
    expect(filledWith(template, value)).toBe(expected);
    expect(new URL(expected).origin).toBe('https://a.example');
  });

  test('above 65,536 characters is refused before the address is assembled', () => {
    expect(() => filledWith('https://a.example/{{ v }}'.repeat(2), 'x'.repeat(40_000))).toThrow(
      'an address can have at most 65536 characters',
    );
  });

  test.each([
    ['https://a.example/orders/{{ v }}', ''],
    ['https://a.example/orders/{{ v }}', '.'],
    ['https://a.example/orders/{{ v }}/items', '..'],
    ['https://a.example/orders/.{{ v }}', '.'],
    ['https://a.example/orders/%2E{{ v }}', '.'],
    ['https://a.example/orders\\{{ v }}\\items', '..'],
    ['https://a.example/orders/\n{{ v }}\t?x', '..'],
    ['https://a.example/{{ v }}{{ v }}', '.'],
  ])('%j with %j cannot be part of the path', (template, value) => {
    expect(() => filledWith(template, value)).toThrow('a value in the path must not be empty, . or ..');
  });

  test('a lone surrogate is refused', () => {
    expect(() => filledWith('https://a.example/{{ v }}', '\ud83d')).toThrow('lone surrogate');
  });
});

test('a value before the end of the origin is inserted unchanged, but later ones are encoded', () => {
  expect(filledWith('{{ v }}', 'https://b.example/x?y')).toBe('https://b.example/x?y');
  const values: Readonly<Record<string, string>> = { base: 'https://b.example', id: '1/2' };
  expect(filledAddress('{{ base }}/orders/{{ id }}', (name) => values[name.trim()] ?? '')).toBe(
    'https://b.example/orders/1%2F2',
  );
});

test('fills values into a path in the same way', () => {
  expect(filledPath('/orders/{{ v }}?x={{ v }}', () => 'a/b')).toBe('/orders/a%2Fb?x=a%2Fb');
  expect(() => filledPath('/orders/{{ v }}', () => '..')).toThrow('a value in the path');
});

test.each([
  ['https://a.example', true],
  ['https://a.example/{{ v }}', true],
  ['https://a.example:8443?q={{ v }}', true],
  ['HTTP://a.example#{{ v }}', true],
  ['{{ v }}', false],
  ['{{ v }}/orders', false],
  ['https://{{ v }}.example/', false],
  ['https://a.example{{ v }}', false],
  ['https://a.example:{{ v }}/', false],
  ['https://a.example@{{ v }}/', false],
  ['https:a.example/{{ v }}', false],
  [' https://a.example/{{ v }}', false],
  ['{{ v }}://a.example/', false],
])('whether %s has a literal origin is %s', (template, expected) => {
  expect(hasWrittenOrigin(template)).toBe(expected);
});
