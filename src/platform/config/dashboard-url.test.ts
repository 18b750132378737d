import { expect, test } from '@jest/globals';
import { readDashboardUrl } from './dashboard-url.ts';

const OWN = 'https://api.example.co.uk';

test.each([
  ['https://dash.example.co.uk/', OWN, 'https://dash.example.co.uk'],
  ['https://example.co.uk/posthorn', OWN, 'https://example.co.uk/posthorn'],
  ['https://api.example.co.uk:8443', OWN, 'https://api.example.co.uk:8443'],
  ['https://10.0.0.1:8443', 'https://10.0.0.1', 'https://10.0.0.1:8443'],
])('%s is a dashboard of %s', (given, own, expected) => {
  expect(readDashboardUrl(given, own)).toBe(expected);
});

test.each([
  ['http://dash.example.co.uk', OWN, 'https'],
  ['https://dash.example.co.uk', 'http://api.example.co.uk', 'https'],
  ['https://dash.other.co.uk', OWN, 'same site'],
  ['https://co.uk', OWN, 'same site'],
  ['https://two.github.io', 'https://one.github.io', 'same site'],
  ['https://10.0.0.2', 'https://10.0.0.1', 'same site'],
])('%s is none of %s', (given, own, problem) => {
  expect(() => readDashboardUrl(given, own)).toThrow(problem);
});

test('without the setting there is none', () => {
  expect(readDashboardUrl(undefined, OWN)).toBeUndefined();
});
