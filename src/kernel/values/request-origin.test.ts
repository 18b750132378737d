import { describe, expect, test } from '@jest/globals';
import { originProblem, ownOriginsOf, type SentFrom } from './request-origin.ts';

const SECURE = { publicOrigin: 'https://api.example.com' };
const PLAIN = { publicOrigin: 'http://localhost:3000' };
const WITH_DASHBOARD = { ...SECURE, dashboardOrigin: 'https://dash.example.com' };
const FOREIGN = 'was sent by a page of another site';
const NOTHING: SentFrom = { site: [], origin: [], host: ['api.example.com'] };
const proof = { isProofNeeded: true };

test('origins are those of the addresses, without their paths', () => {
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
    ['nowhere', {}, SECURE, 'has neither Sec-Fetch-Site nor Origin'],
    ['two sites', { site: ['same-origin', 'same-origin'] }, SECURE, 'has Origin or Sec-Fetch-Site more than once'],
    [
      'two origins',
      { origin: ['https://api.example.com', 'https://evil.example'] },
      SECURE,
      'has Origin or Sec-Fetch-Site more than once',
    ],
  ])('is refused from %s', (_, from, own, problem) => {
    expect(originProblem({ ...NOTHING, ...from }, own, proof)).toBe(problem);
  });

  test('needs no proof where it brings its own', () => {
    expect(originProblem(NOTHING, SECURE, { isProofNeeded: false })).toBeUndefined();
    expect(originProblem({ ...NOTHING, site: ['cross-site'] }, SECURE, { isProofNeeded: false })).toBe(FOREIGN);
  });
});
