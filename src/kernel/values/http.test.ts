import { expect, test, describe } from '@jest/globals';
import {
  parseUrl,
  dashboardAt,
  originProblem,
  ownOriginsOf,
  type SentFrom,
  readHops,
  STATUS_FILTER,
  STATUS_GROUP,
  statusRange,
} from './http.ts';

test.each(['', 'x', 'https://', 'https://a b/', 'https://[::1'])('%j is no URL', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});

test('a name with an umlaut is one, however often it is asked', () => {
  const wrong = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example/')?.hostname).filter(
    (hostname) => hostname !== 'xn--bcher-kva.example',
  );
  expect(wrong).toEqual([]);
});

test('the dashboard is under the API, or at its own address', () => {
  expect(dashboardAt({ publicBaseUrl: 'https://api.example.com' })).toBe('https://api.example.com/dashboard');
  expect(dashboardAt({ publicBaseUrl: 'https://api.example.com', dashboardUrl: 'https://dash.example.com' })).toBe(
    'https://dash.example.com',
  );
});

const SECURE = { publicOrigin: 'https://api.example.com' };
const PLAIN = { publicOrigin: 'http://localhost:3000' };
const WITH_DASHBOARD = { ...SECURE, dashboardOrigin: 'https://dash.example.com' };
const FOREIGN = 'was sent by a page of another site';
const NOTHING: SentFrom = { site: [], origin: [], host: ['api.example.com'] };
const proof = { isProofNeeded: true };

test('origins are those of the URLs, without their paths', () => {
  expect(ownOriginsOf({ publicBaseUrl: 'https://Example.com:443/api' })).toEqual({
    publicOrigin: 'https://example.com',
    dashboardOrigin: undefined,
  });
  expect(ownOriginsOf({ publicBaseUrl: 'none', dashboardUrl: 'https://dash.example.com/x' })).toEqual({
    publicOrigin: '',
    dashboardOrigin: 'https://dash.example.com',
  });
});

describe('a request that acts for a person', () => {
  test.each([
    ['the same origin says so', { site: ['same-origin'] }, SECURE],
    ['the same origin by its Origin', { origin: ['https://api.example.com'] }, SECURE],
    ['another name of the same plain host', { origin: ['http://127.0.0.1:3000'], host: ['127.0.0.1:3000'] }, PLAIN],
    [
      'the dashboard, which is of the same site',
      { site: ['same-site'], origin: ['https://dash.example.com'] },
      WITH_DASHBOARD,
    ],
  ])('is let through from %s', (_, from, own) => {
    expect(originProblem({ ...NOTHING, ...from }, own, proof)).toBeUndefined();
  });

  test.each([
    ['another site', { site: ['cross-site'] }, SECURE, FOREIGN],
    [
      'a neighbour of the same site',
      { site: ['same-site'], origin: ['https://x.example.com'] },
      WITH_DASHBOARD,
      FOREIGN,
    ],
    ['an address that was typed', { site: ['none'] }, SECURE, FOREIGN],
    ['another origin', { origin: ['https://evil.example'] }, SECURE, FOREIGN],
    ['an origin that is hidden', { origin: ['null'] }, PLAIN, FOREIGN],
    ['the same host by plain http', { origin: ['http://api.example.com'] }, SECURE, FOREIGN],
    ['another port', { origin: ['http://localhost:4000'], host: ['localhost:3000'] }, PLAIN, FOREIGN],
    [
      'the own origin, said by another site',
      { site: ['cross-site'], origin: ['https://api.example.com'] },
      SECURE,
      FOREIGN,
    ],
    ['two hosts', { origin: ['http://a'], host: ['a', 'a'] }, PLAIN, FOREIGN],
    ['nowhere', {}, SECURE, 'has neither a Sec-Fetch-Site nor an Origin header'],
    [
      'two sites',
      { site: ['same-origin', 'same-origin'] },
      SECURE,
      'has more than one Origin or Sec-Fetch-Site header',
    ],
    [
      'two origins',
      { origin: ['https://api.example.com', 'https://evil.example'] },
      SECURE,
      'has more than one Origin or Sec-Fetch-Site header',
    ],
  ])('is refused from %s', (_, from, own, problem) => {
    expect(originProblem({ ...NOTHING, ...from }, own, proof)).toBe(problem);
  });

  test('needs no proof if it has its own', () => {
    expect(originProblem(NOTHING, SECURE, { isProofNeeded: false })).toBeUndefined();
    expect(originProblem({ ...NOTHING, site: ['cross-site'] }, SECURE, { isProofNeeded: false })).toBe(FOREIGN);
  });
});

test.each<[string[], number | undefined]>([
  [[], 0],
  [['0'], 0],
  [['3'], 3],
  [[' 3 '], 3],
  [['007'], 7],
  [['1', '4'], 4],
  [['4, 1'], 4],
  [['999999999'], 999_999_999],
  [[''], undefined],
  [['1,'], undefined],
  [['-1'], undefined],
  [['1.5'], undefined],
  [['0x1'], undefined],
  [['one'], undefined],
  [['1', 'x'], undefined],
  [['9999999999'], undefined],
])('the mark %j is %p', (given, hops) => {
  expect(readHops(given)).toBe(hops);
});

test.each([
  ['503', 503, 503],
  ['4xx', 400, 499],
  ['5xx', 500, 599],
  ['500-503', 500, 503],
  ['503-500', 500, 503],
])('%s stands for the statuses from %i to %i', (text, least, most) => {
  expect(statusRange(text)).toEqual({ least, most });
});

const TEXTS = [
  '1xx',
  '5xx',
  '500-503',
  '503',
  '6xx',
  '50x',
  '5XX',
  'x5xx',
  '5xxx',
  '99-600',
  '500-',
  '-503',
  '500-5xx',
];

test('a class is a digit and two letters, and a range two statuses', () => {
  expect(TEXTS.filter((text) => STATUS_GROUP.test(text))).toEqual(['1xx', '5xx', '500-503']);
  expect(TEXTS.filter((text) => STATUS_FILTER.test(text))).toEqual(['1xx', '5xx', '500-503', '503']);
});
