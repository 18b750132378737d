import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { startSecondApi } from '../support/service/two-apis.ts';
import { OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  await setUp(posthorn);
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  await posthorn.deps.pool.query('TRUNCATE sign_in_tries, known_devices');
});

type Refusal = { error: { code: string; message: string; retryAfter?: number } };
const WRONG = { error: { code: 'UNAUTHORIZED', message: 'The e-mail address or the password is wrong' } };
const tryOnce = (browser: Browser, body: object = {}) =>
  browser.request<Refusal>('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password, ...body });
const fail = (browser = createBrowser(posthorn), email = OWNER.email) =>
  tryOnce(browser, { email, password: 'not the right one' });
const endWindows = () => posthorn.deps.pool.query(`UPDATE sign_in_tries SET ends_at = now() - interval '1 s'`);

describe('signing in', () => {
  test('gives a cookie that scripts cannot read, and every answer its rate-limit headers', async () => {
    const browser = createBrowser(posthorn);
    const { status, headers, cookies } = await tryOnce(browser);
    expect(status).toBe(200);
    expect(cookies).toEqual([
      expect.stringMatching(/^posthorn-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^posthorn-device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    expect((await fail()).headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  });

  test('takes the address in any case, and the password in any composition of its characters', async () => {
    const { browser } = await signIn(posthorn, { ...OWNER, email: 'OWNER@Example.com' });
    const accented = 'm\u00FChle am kleinen bach';
    const sent = { password: OWNER.password, newPassword: accented };
    expect((await browser.request('POST', '/v1/user/password', sent)).status).toBe(200);
    expect((await tryOnce(createBrowser(posthorn), { password: accented.normalize('NFD') })).status).toBe(200);
    await browser.request('POST', '/v1/user/password', { password: accented, newPassword: OWNER.password });
  });

  test('begins a session of another id each time, and ends the one that the browser had', async () => {
    const { browser, me } = await signIn(posthorn, OWNER);
    const before = browser.jar.get('posthorn-session');
    const { body } = await tryOnce(browser);
    expect(browser.jar.get('posthorn-session')).not.toBe(before);
    expect(body).not.toMatchObject({ session: { id: me.session.id } });
    const old = createBrowser(posthorn);
    old.jar.set('posthorn-session', before ?? '');
    expect((await old.request('GET', '/v1/session')).status).toBe(401);
  });

  test('hashes the password anew where the stored one was made with other parameters', async () => {
    const weaker = await hash(OWNER.password, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await posthorn.deps.db.user.updateMany({ data: { passwordHash: weaker } });
    await signIn(posthorn, OWNER);
    const { passwordHash } = await posthorn.deps.db.user.findFirstOrThrow();
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await signIn(posthorn, OWNER);
    expect((await posthorn.deps.db.user.findFirstOrThrow()).passwordHash).toBe(passwordHash);
  });

  test('is refused from a page of another site, with the right password too', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const browser = createBrowser(posthorn);
    const body = { email: OWNER.email, password: OWNER.password };
    const { status, cookies } = await browser.request('POST', '/v1/sign-in', body, { headers });
    expect([status, cookies]).toEqual([403, []]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await browser.request('POST', '/v1/sign-in', 'email=a', { headers: form })).status).toBe(415);
  });
});

test('a browser is shown by the name that it gives itself, without what would harm a terminal', async () => {
  const { signIn: service } = createServices(posthorn.deps);
  const visit = { address: '192.0.2.7', host: 'localhost', cookie: [], userAgent: 'A\u001b[31mB' };
  const { answer } = await service.byPassword({ email: OWNER.email, password: OWNER.password }, visit);
  expect(answer).toMatchObject({ session: { address: '192.0.2.7', userAgent: 'A[31mB' } });
});

describe('a wrong password', () => {
  test('has the answer of an account that does not exist, and of one without a password', async () => {
    await posthorn.deps.db.user.create({
      data: { id: posthorn.deps.newId('user'), email: 'sso@example.com', name: 'S' },
    });
    for (const email of [OWNER.email, 'nobody@example.com', 'sso@example.com']) {
      const { status, body, cookies } = await fail(createBrowser(posthorn), email);
      expect([email, status, body, cookies]).toEqual([email, 401, WRONG, []]);
    }
  });

  // Old mechanism that this guards against: without a dummy hash an unknown account answers in a tenth of the time.
  test('costs a hash whether the account exists or not', async () => {
    const measure = async (email: string): Promise<number> => {
      const before = process.cpuUsage();
      for (let time = 0; time < 5; time += 1) await fail(createBrowser(posthorn), email);
      const { user, system } = process.cpuUsage(before);
      await endWindows();
      return user + system;
    };
    await measure(OWNER.email);
    // The least of several: a look for garbage is added to one.
    const least = async (email: string): Promise<number> => {
      const measured: number[] = [];
      for (let round = 0; round < 4; round += 1) measured.push(await measure(email));
      return Math.min(...measured);
    };
    const [known, unknown] = [await least(OWNER.email), await least('nobody@example.com')];
    // Time of the processor, which a busy machine does not stretch as it does time on the wall.
    expect(unknown).toBeGreaterThan(known / 2);
  });

  test('five times closes the account for other browsers, with the right password too, until the window ends', async () => {
    for (let time = 0; time < 5; time += 1) expect((await fail()).status).toBe(401);
    const refused = await tryOnce(createBrowser(posthorn));
    expect([refused.status, refused.body.error.code, refused.cookies]).toEqual([429, 'RATE_LIMITED', []]);
    expect(refused.body.error.retryAfter).toBeGreaterThan(600);
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.error.retryAfter));
    await endWindows();
    expect((await tryOnce(createBrowser(posthorn))).status).toBe(200);
  });

  test('is counted for an account that does not exist as for one that does', async () => {
    const statuses = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await fail(undefined, 'nobody@example.com')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('by a stranger never closes the account for a browser that its person has signed in with before', async () => {
    const { browser } = await signIn(posthorn, OWNER);
    await browser.request('DELETE', '/v1/session');
    for (let time = 0; time < 6; time += 1) await fail();
    expect((await tryOnce(createBrowser(posthorn))).status).toBe(429);
    expect((await tryOnce(browser)).status).toBe(200);
  });

  test('is counted for a known browser too, and a cookie that was not given by the service makes none known', async () => {
    const { browser } = await signIn(posthorn, OWNER);
    const statuses = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await fail(browser)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    for (let time = 0; time < 5; time += 1) await fail();
    const forged = createBrowser(posthorn);
    forged.jar.set('posthorn-device', 'A'.repeat(43));
    expect((await tryOnce(forged)).status).toBe(429);
  });

  test('is counted as a stranger’s in a browser that has signed in somebody else', async () => {
    const { db, newId } = posthorn.deps;
    const { passwordHash } = await db.user.findUniqueOrThrow({ where: { email: OWNER.email } });
    const email = 'other@example.com';
    await db.user.create({ data: { id: newId('user'), email, name: 'Other', passwordHash } });
    const { browser } = await signIn(posthorn, OWNER);
    for (let time = 0; time < 5; time += 1) await fail(undefined, email);
    expect((await tryOnce(browser, { email })).status).toBe(429);
  });

  test('is forgotten with the right one', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let time = 0; time < 4; time += 1) await fail();
      expect((await tryOnce(createBrowser(posthorn))).status).toBe(200);
    }
  });

  test('is counted by all processes together', async () => {
    const second = await startSecondApi(posthorn);
    try {
      for (let time = 0; time < 3; time += 1) await fail();
      for (let time = 0; time < 2; time += 1) await fail(createBrowser(second));
      expect((await tryOnce(createBrowser(second))).status).toBe(429);
    } finally {
      await second.stop();
    }
  });

  test('or none is refused by address after 30 tries a minute, whatever accounts they name', async () => {
    const second = await startSecondApi(posthorn);
    try {
      const browser = createBrowser(second);
      const statuses: number[] = [];
      // Requests without a password: counted as all others, and soon answered.
      for (let time = 0; time < 30; time += 1)
        statuses.push((await browser.request('POST', '/v1/sign-in', { email: `u${time}@example.com` })).status);
      expect(new Set(statuses)).toEqual(new Set([400]));
      const last = await tryOnce(browser);
      expect([last.status, last.headers.get('x-ratelimit-limit')]).toEqual([429, '30']);
    } finally {
      await second.stop();
    }
  });
});

describe('another password', () => {
  test('takes the old one, ends the other sessions and gives this one a new secret', async () => {
    const { browser } = await signIn(posthorn, OWNER);
    const { browser: other } = await signIn(posthorn, OWNER);
    const before = browser.jar.get('posthorn-session');
    const newPassword = 'seven lanterns at noon';
    const change = (password: string, to: string) =>
      browser.request<Refusal>('POST', '/v1/user/password', { password, newPassword: to });
    expect((await change('not the right one', newPassword)).status).toBe(401);
    expect((await change(OWNER.password, 'password1234')).status).toBe(400);
    expect((await other.request('GET', '/v1/session')).status).toBe(200);
    expect((await change(OWNER.password, newPassword)).status).toBe(200);
    expect((await other.request('GET', '/v1/session')).status).toBe(401);
    expect((await browser.request('GET', '/v1/session')).status).toBe(200);
    expect(browser.jar.get('posthorn-session')).not.toBe(before);
    expect((await tryOnce(createBrowser(posthorn))).status).toBe(401);
    expect((await tryOnce(createBrowser(posthorn), { password: newPassword })).status).toBe(200);
    await change(newPassword, OWNER.password);
  });
});
