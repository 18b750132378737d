import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createKeyRing } from '../../src/credentials/key-ring.ts';
import { createTries } from '../../src/identity/accounts/tries.ts';
import { createFactors } from '../../src/identity/factors/service.ts';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { createTellChange } from '../../src/process/assembly/audit-people.ts';
import { type Enrolled, enrolTotp, forgetSteps, setUpWithTotp, totpCode } from '../support/make/factors.ts';
import { joinAs, OWNER, passPassword, refusalOf } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let enrolled: Enrolled;
let organisation: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  ({ owner, organisation, enrolled } = await setUpWithTotp(posthorn));
});

type Refusal = { error: { code: string; message: string } };
type SecondStep = { secondStep: { means: string[]; expiresAt: string } };
const passed = (person?: { email: string; password: string }) => passPassword(posthorn, person);
const take = (browser: Browser, body: object) =>
  browser.request<Refusal & SignedIn>('POST', '/v1/sign-in/second-factor', body);
const refuses = (browser: Browser, body: object) =>
  refusalOf(posthorn, browser, ['POST', '/v1/sign-in/second-factor', body], { isTry: true });
const REFUSED = [401, 'UNAUTHORIZED'];

// The old mechanism: a waiting step took the code of an app that was added after it had begun.
test('a step that waits ends with the factor that it waited for', async () => {
  const browser = await passed();
  expect((await owner.browser.request('DELETE', '/v1/user/totp')).status).toBe(204);
  const { secret } = await enrolTotp(owner.browser);
  await forgetSteps(posthorn);
  expect((await take(browser, { code: totpCode(secret) })).status).toBe(401);
  expect((await take(await passed(), { code: totpCode(secret) })).status).toBe(200);
});

describe('the right password of a person with a second factor', () => {
  test('begins no session, and a second step of ten minutes in a cookie that scripts cannot read', async () => {
    const browser = createBrowser(posthorn);
    const sessions = await posthorn.deps.db.session.count();
    const { status, body, cookies } = await browser.request<SecondStep>('POST', '/v1/sign-in', {
      email: OWNER.email,
      password: OWNER.password,
    });
    expect([status, body.secondStep.means]).toEqual([200, ['code', 'recoveryCode']]);
    expect(Math.abs(Date.parse(body.secondStep.expiresAt) - Date.now() - 600_000)).toBeLessThan(60_000);
    expect(cookies).toEqual([
      expect.stringMatching(/^posthorn-second-step=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await posthorn.deps.db.session.count()).toBe(sessions);
    browser.jar.set('posthorn-session', browser.jar.get('posthorn-second-step') ?? '');
    expect((await browser.request('GET', '/v1/session')).status).toBe(401);
  });

  test('and the code of the app begin a session that shows both, and forgets the step', async () => {
    const browser = await passed();
    const { status, body, cookies } = await take(browser, { code: totpCode(enrolled.secret) });
    expect([status, body.session.provenBy]).toEqual([200, ['password', 'code']]);
    expect(cookies).toContainEqual(expect.stringMatching(/^posthorn-second-step=; Max-Age=0/));
    expect([...browser.jar.keys()].toSorted()).toEqual(['posthorn-device', 'posthorn-session']);
    expect((await browser.request('GET', '/v1/session')).status).toBe(200);
    const again = await browser.request<SignedIn>('POST', '/v1/session/authenticate', { password: OWNER.password });
    expect(again.body.session.provenBy).toEqual(['password', 'code']);
  });

  test('and a recovery code begin one, once, however the code is typed', async () => {
    const [first = '', second = ''] = enrolled.recoveryCodes;
    const browser = await passed();
    const typed = first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'I');
    const { status, body } = await take(browser, { recoveryCode: typed });
    expect([status, body.session.provenBy]).toEqual([200, ['password', 'recoveryCode']]);
    expect((await browser.request('GET', '/v1/user/factors')).body).toMatchObject({ recoveryCodes: 9 });
    expect(await refuses(await passed(), { recoveryCode: first })).toEqual(REFUSED);
    expect((await take(await passed(), { recoveryCode: second })).status).toBe(200);
  });
});

describe('a second step is refused', () => {
  test('to a wrong code, an old one, one of the future, and one of another person, and stays for the right one', async () => {
    const other = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'ada@example.com' });
    const foreign = await enrolTotp(other.browser);
    const browser = await passed();
    expect(await refuses(browser, { code: totpCode(enrolled.secret, -4) })).toEqual(REFUSED);
    expect(await refuses(browser, { code: totpCode(enrolled.secret, 20) })).toEqual(REFUSED);
    expect(await refuses(browser, { code: totpCode(foreign.secret, 1) })).toEqual(REFUSED);
    expect(await refuses(browser, { recoveryCode: foreign.recoveryCodes[0] })).toEqual(REFUSED);
    expect((await take(browser, { code: totpCode(enrolled.secret) })).status).toBe(200);
  });

  test('to a code that was used, and to every earlier one', async () => {
    const code = totpCode(enrolled.secret, 1);
    const earlier = totpCode(enrolled.secret);
    expect((await take(await passed(), { code })).status).toBe(200);
    expect(await refuses(await passed(), { code })).toEqual(REFUSED);
    expect(await refuses(await passed(), { code: earlier })).toEqual(REFUSED);
  });

  test('without a cookie, with a forged one, and with one that was taken', async () => {
    const code = totpCode(enrolled.secret);
    expect(await refuses(createBrowser(posthorn), { code })).toEqual(REFUSED);
    const forged = createBrowser(posthorn);
    forged.jar.set('posthorn-second-step', 'A'.repeat(43));
    expect(await refuses(forged, { code })).toEqual(REFUSED);
    const browser = await passed();
    const cookie = browser.jar.get('posthorn-second-step') ?? '';
    expect((await take(browser, { code })).status).toBe(200);
    await forgetSteps(posthorn);
    forged.jar.set('posthorn-second-step', cookie);
    expect(await refuses(forged, { code: totpCode(enrolled.secret) })).toEqual(REFUSED);
  });

  test('after ten minutes, and its row goes with the next one', async () => {
    const browser = await passed();
    await posthorn.deps.pool.query(`UPDATE second_steps SET expires_at = now()`);
    expect(await refuses(browser, { code: totpCode(enrolled.secret) })).toEqual(REFUSED);
    await passed();
    expect(await posthorn.deps.db.secondStep.count()).toBe(1);
  });

  test('with two factors at once, and with none', async () => {
    const browser = await passed();
    const both = { code: totpCode(enrolled.secret), recoveryCode: enrolled.recoveryCodes[0] };
    expect(await refuses(browser, both)).toEqual([400, 'INVALID_REQUEST']);
    expect(await refuses(browser, {})).toEqual([400, 'INVALID_REQUEST']);
    expect(await refuses(browser, { code: null })).toEqual([400, 'INVALID_REQUEST']);
  });

  test('from a page of another site', async () => {
    const browser = await passed();
    const sent = { headers: { 'sec-fetch-site': 'cross-site' } };
    const body = { code: totpCode(enrolled.secret) };
    const { status } = await browser.request('POST', '/v1/sign-in/second-factor', body, sent);
    expect(status).toBe(403);
  });

  test('once the factor was removed, and once the password is another one', async () => {
    const browser = await passed();
    const change = { password: OWNER.password, newPassword: 'seven lanterns at noon' };
    expect((await owner.browser.request('POST', '/v1/user/password', change)).status).toBe(200);
    expect(await refuses(browser, { code: totpCode(enrolled.secret) })).toEqual(REFUSED);
    const next = await passed({ ...OWNER, password: change.newPassword });
    expect((await owner.browser.request('DELETE', '/v1/user/totp')).status).toBe(204);
    expect(await refuses(next, { code: totpCode(enrolled.secret) })).toEqual(REFUSED);
    expect(await refuses(next, { recoveryCode: enrolled.recoveryCodes[0] })).toEqual(REFUSED);
  });

  test('after five tries, with the right code and in other browsers too, whoever has the password', async () => {
    for (let time = 0; time < 5; time += 1)
      expect((await take(await passed(), { code: totpCode(enrolled.secret, 20) })).status).toBe(401);
    expect(await refuses(await passed(), { code: totpCode(enrolled.secret) })).toEqual([429, 'RATE_LIMITED']);
    await posthorn.deps.pool.query(`UPDATE sign_in_tries SET ends_at = now() - interval '1 s'`);
    expect((await take(await passed(), { code: totpCode(enrolled.secret) })).status).toBe(200);
  });

  test('never to its person in a browser that is known, by tries of a stranger', async () => {
    const known = await passed();
    expect((await take(known, { code: totpCode(enrolled.secret) })).status).toBe(200);
    for (let time = 0; time < 6; time += 1) await take(await passed(), { code: totpCode(enrolled.secret, 20) });
    await known.request('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password });
    expect((await take(known, { code: totpCode(enrolled.secret, 1) })).status).toBe(200);
  });
});

describe('twenty at once', () => {
  const twenty = Array.from({ length: 20 });

  test('with one step and one code begin exactly one session', async () => {
    const browser = await passed();
    const before = await posthorn.deps.db.session.count();
    const code = totpCode(enrolled.secret);
    const answers = await Promise.all(twenty.map(() => take(browser, { code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await posthorn.deps.db.session.count()).toBe(before + 1);
  });

  test.each(['useCode', 'useRecoveryCode'] as const)('in two processes use a code up once (%s)', async (use) => {
    const { db } = posthorn.deps;
    const processes = [createServices(posthorn.deps), createServices(posthorn.deps)];
    const code = use === 'useCode' ? totpCode(enrolled.secret) : (enrolled.recoveryCodes[0] ?? '');
    const used = await Promise.all(
      twenty.map((_, index) =>
        db.$transaction(async (transaction) =>
          processes[index % 2]?.factors[use](transaction, { id: owner.me.user.id }, code),
        ),
      ),
    );
    expect(used.filter((isUsed) => isUsed === true)).toHaveLength(1);
  });
});

test('a used code seals the secret anew, with the key that seals now', async () => {
  const { db, clock, config } = posthorn.deps;
  const keyRing = createKeyRing([{ kid: 'later', key: randomBytes(32) }, ...config.encryptionKeys]);
  const tell = createTellChange(posthorn.deps);
  const factors = createFactors(
    { db, clock, keyRing },
    { tries: createTries(posthorn.deps), sessions: posthorn.services.sessions, tell },
  );
  const code = totpCode(enrolled.secret);
  expect(await db.$transaction((tx) => factors.useCode(tx, { id: owner.me.user.id }, code))).toBe(true);
  expect((await db.totpFactor.findFirstOrThrow()).ciphertext).toMatch(/^v1\.later\./);
  await forgetSteps(posthorn);
  expect(await db.$transaction((tx) => factors.useCode(tx, { id: owner.me.user.id }, code))).toBe(true);
});
