import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { actIn, OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

const DASHBOARD = 'https://dash.example.com';
const FROM_DASHBOARD = { origin: DASHBOARD, 'sec-fetch-site': 'same-site' };
const OTHERS = ['https://example.com', 'https://dash.example.com.evil.example', 'http://dash.example.com', 'null'];

let posthorn: TestPosthorn;
let browser: Browser;
let me: SignedIn;
beforeAll(async () => {
  const variables = { PUBLIC_BASE_URL: 'https://api.example.com', DASHBOARD_URL: `${DASHBOARD}/posthorn/` };
  posthorn = await startPosthorn({ withWorker: false, variables });
  ({ browser, me } = await setUp(posthorn));
  actIn(browser, me);
});
afterAll(() => posthorn.stop());

const preflight = (origin: string) =>
  createBrowser(posthorn).request('OPTIONS', '/v1/channels', undefined, {
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });
const corsOf = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).toSorted();

test('under https the cookies are bound to the host', () => {
  expect([...browser.jar.keys()]).toEqual(['__Host-posthorn-session', '__Host-posthorn-device']);
});

test('a page of the dashboard may send a preflight, and the response has the headers of the rate limit', async () => {
  const { status, headers } = await preflight(DASHBOARD);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(DASHBOARD);
  expect(headers.get('access-control-allow-credentials')).toBe('true');
  expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PATCH, DELETE');
  expect(headers.get('access-control-allow-headers')).toContain('Posthorn-App');
  expect(headers.get('access-control-allow-headers')).not.toContain('Authorization');
  expect(headers.get('vary')).toBe('Origin');
  expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
});

test('a page of the dashboard acts for its user and reads every response, refusals too', async () => {
  const sent = { headers: FROM_DASHBOARD };
  const made = await browser.request('POST', '/v1/channels', { name: 'orders' }, sent);
  const missing = await browser.request('GET', '/v1/nothing', undefined, sent);
  const wrong = await browser.request('POST', '/v1/channels', {}, sent);
  expect([made, missing, wrong].map(({ status }) => status)).toEqual([201, 404, 400]);
  for (const { headers } of [made, missing, wrong]) {
    expect(headers.get('access-control-allow-origin')).toBe(DASHBOARD);
    expect(headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining');
  }
  const body = { email: OWNER.email, password: OWNER.password };
  expect((await createBrowser(posthorn).request('POST', '/v1/sign-in', body, sent)).status).toBe(200);
});

test.each(OTHERS)('a page of %s reads nothing and changes nothing', async (origin) => {
  const before = await posthorn.deps.db.channel.count();
  for (const site of ['same-site', 'cross-site', undefined]) {
    const headers = { origin, 'sec-fetch-site': site };
    const answer = await browser.request('POST', '/v1/channels', { name: 'x' }, { headers });
    expect([site, answer.status, corsOf(answer)]).toEqual([site, 403, []]);
    const body = { email: OWNER.email, password: OWNER.password };
    expect((await createBrowser(posthorn).request('POST', '/v1/sign-in', body, { headers })).status).toBe(403);
  }
  const read = await browser.request('GET', '/v1/channels', undefined, { headers: { origin } });
  expect([corsOf(read), read.headers.get('vary')]).toEqual([[], 'Origin']);
  const asked = await preflight(origin);
  expect([asked.status, corsOf(asked)]).toEqual([405, []]);
  expect(await posthorn.deps.db.channel.count()).toBe(before);
});

test('links lead to the dashboard', async () => {
  const path = `/v1/organisations/${me.organisations[0]?.id}/invitations`;
  const { body } = await browser.request<{ link: string }>('POST', path, { email: 'nora@example.com', role: 'viewer' });
  expect(body.link).toMatch(/^https:\/\/dash\.example\.com\/posthorn\/invitation#code=[\w-]{43}$/);
});

test('without a dashboard at another address no origin may read anything', async () => {
  const plain = await startPosthorn({ withWorker: false });
  try {
    const headers = { origin: DASHBOARD, 'access-control-request-method': 'POST' };
    const answer = await createBrowser(plain).request('OPTIONS', '/v1/channels', undefined, { headers });
    expect([answer.status, corsOf(answer), answer.headers.get('vary')]).toEqual([405, [], null]);
  } finally {
    await plain.stop();
  }
});
