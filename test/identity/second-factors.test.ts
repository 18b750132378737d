import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { URI } from 'otpauth';
import { createKeyRing } from '../../src/platform/credentials/key-ring.ts';
import { createTries } from '../../src/identity/people/accounts/tries.ts';
import { createFactors } from '../../src/identity/people/factors/service.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { createTellChange } from '../../src/process/assembly/audit-people.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { type Enrolled, enrolTotp, forgetSteps, setUpWithTotp, totpCode } from '../support/make/factors.ts';
import { codeOf, joinAs, OWNER, passPassword, refusalOf, setUpAnew, signIn } from '../support/make/people.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('second factors', () => {
  let browser: Browser;
  let organisation: string;
  beforeEach(async () => {
    ({
      owner: { browser },
      organisation,
    } = await setUpAnew(posthorn));
  });

  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
  type Factors = { isAsked: boolean; totp?: { createdAt: string }; recoveryCodes: number; passkeys: number };
  const factors = async (by = browser) => (await by.request<Factors>('GET', '/v1/user/factors')).body;
  const confirm = (code: string, by = browser) => by.request<Refusal>('POST', '/v1/user/totp/confirm', { code });
  const makeSecret = async (by = browser) =>
    (await by.request<{ secret: string; uri: string }>('POST', '/v1/user/totp')).body;
  const refuses = (method: string, path: string, body?: unknown, by = browser) =>
    refusalOf(posthorn, by, [method, path, body], { isTry: true });
  const refusesCode = (code: string) => refuses('POST', '/v1/user/totp/confirm', { code });

  describe('an authenticator app', () => {
    test('returns its secret once, as a text and as a URI for a QR code, and the secret is encrypted', async () => {
      const { secret, uri } = await makeSecret();
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      const read = URI.parse(uri);
      expect(read).toMatchObject({ issuer: 'Posthorn', label: OWNER.email, digits: 6, period: 30, algorithm: 'SHA1' });
      expect(read.secret.base32).toBe(secret);
      expect(await tablesThatHold(posthorn.deps.pool, secret)).toEqual([]);
      const { ciphertext } = await posthorn.deps.db.totpFactor.findFirstOrThrow();
      expect(ciphertext).toMatch(/^v1\.test\./);
    });

    test('requires nothing before its first code, and gives ten recovery codes with it', async () => {
      const { secret } = await makeSecret();
      expect(await factors()).toEqual({ isAsked: false, passkeys: 0, recoveryCodes: 0 });
      expect((await signIn(posthorn, OWNER)).me.user.email).toBe(OWNER.email);
      const { status, body } = await browser.request<{ recoveryCodes: string[] }>('POST', '/v1/user/totp/confirm', {
        code: totpCode(secret),
      });
      expect(status).toBe(200);
      expect(new Set(body.recoveryCodes).size).toBe(10);
      for (const code of body.recoveryCodes) {
        expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
        expect(await tablesThatHold(posthorn.deps.pool, code)).toEqual([]);
      }
      expect(await factors()).toEqual({
        isAsked: true,
        totp: { createdAt: expect.any(String) },
        passkeys: 0,
        recoveryCodes: 10,
      });
    });

    test('is not activated by a wrong code, by one of another time, or by one of a secret that was replaced', async () => {
      const { secret: replaced } = await makeSecret();
      const { secret } = await makeSecret();
      for (const code of [totpCode(replaced), totpCode(secret, -4), totpCode(secret, 20)])
        expect(await refusesCode(code)).toEqual([401, 'UNAUTHORIZED']);
      expect((await confirm('12345')).body.error.details?.field).toBe('code');
      expect((await confirm(totpCode(secret).replace(/^.../, '$& '))).status).toBe(200);
    });

    test('is not activated without a secret, by one that is a quarter of an hour old, or a second time', async () => {
      expect(await refusesCode('123456')).toEqual([409, 'CONFLICT']);
      const { secret } = await makeSecret();
      await posthorn.deps.pool.query(`UPDATE totp_factors SET created_at = created_at - interval '16 minutes'`);
      expect(await refusesCode(totpCode(secret))).toEqual([409, 'CONFLICT']);
      const again = await makeSecret();
      expect((await confirm(totpCode(again.secret))).status).toBe(200);
      expect(await refusesCode(totpCode(again.secret, 1))).toEqual([409, 'CONFLICT']);
      expect(await refuses('POST', '/v1/user/totp')).toEqual([409, 'CONFLICT']);
    });

    test('is not activated by a sixth attempt within a quarter of an hour, right or wrong', async () => {
      const { secret } = await makeSecret();
      for (let time = 0; time < 5; time += 1) expect((await confirm(totpCode(secret, 20))).status).toBe(401);
      expect(await refusesCode(totpCode(secret))).toEqual([429, 'RATE_LIMITED']);
    });

    test('belongs to its user: no code of another user activates it', async () => {
      const other = await joinAs(posthorn, browser, organisation, { role: 'viewer', email: 'other@example.com' });
      const { secret } = await makeSecret(other.browser);
      await makeSecret();
      expect(await refusesCode(totpCode(secret))).toEqual([401, 'UNAUTHORIZED']);
      expect((await confirm(totpCode(secret), other.browser)).status).toBe(200);
      expect(await factors()).toEqual({ isAsked: false, passkeys: 0, recoveryCodes: 0 });
    });

    test('is removed only by its user, with its recovery codes', async () => {
      expect(await refuses('DELETE', '/v1/user/totp')).toEqual([404, 'NOT_FOUND']);
      await enrolTotp(browser);
      expect((await browser.request('DELETE', '/v1/user/totp')).status).toBe(204);
      expect(await factors()).toEqual({ isAsked: false, passkeys: 0, recoveryCodes: 0 });
      expect((await signIn(posthorn, OWNER)).me.user.email).toBe(OWNER.email);
    });

    test('is refused to a user without a password, who signs in through an identity provider', async () => {
      await posthorn.deps.db.user.updateMany({ data: { passwordHash: null } });
      expect(await refuses('POST', '/v1/user/totp')).toEqual([409, 'CONFLICT']);
    });
  });

  test.each([
    ['POST', '/v1/user/totp', undefined],
    ['POST', '/v1/user/totp/confirm', { code: '123456' }],
    ['DELETE', '/v1/user/totp', undefined],
    ['POST', '/v1/user/recovery-codes', undefined],
  ])('%s %s requires a recently authenticated user', async (method, path, body) => {
    await enrolTotp(browser);
    await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes'`);
    expect(await refuses(method, path, body)).toEqual([403, 'FORBIDDEN']);
  });

  test('new recovery codes replace all earlier ones, once there is a factor', async () => {
    expect(await refuses('POST', '/v1/user/recovery-codes')).toEqual([409, 'CONFLICT']);
    const { recoveryCodes } = await enrolTotp(browser);
    const made = await browser.request<{ recoveryCodes: string[] }>('POST', '/v1/user/recovery-codes');
    expect([made.status, made.body.recoveryCodes.length]).toEqual([201, 10]);
    expect(made.body.recoveryCodes).not.toEqual(expect.arrayContaining(recoveryCodes.slice(0, 1)));
    expect(await factors()).toMatchObject({ recoveryCodes: 10 });
    const step = createBrowser(posthorn);
    await step.request('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password });
    const use = (code?: string) => step.request('POST', '/v1/sign-in/second-factor', { recoveryCode: code });
    expect(await refuses('POST', '/v1/sign-in/second-factor', { recoveryCode: recoveryCodes[0] }, step)).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    expect((await use(made.body.recoveryCodes[0])).status).toBe(200);
  });

  test('the audit log records factors and recovery codes, without their values', async () => {
    const { secret, recoveryCodes } = await enrolTotp(browser);
    const { body: me } = await browser.request<SignedIn>('GET', '/v1/session');
    await browser.request('POST', '/v1/user/recovery-codes');
    await browser.request('DELETE', '/v1/user/totp');
    const headers = { 'posthorn-organisation': me.organisations[0]?.id };
    type Entries = { data: { action: string; target: { id: string }; after?: object }[] };
    const { body } = await browser.request<Entries>('GET', '/v1/audit?limit=3', undefined, { headers });
    expect(body.data.map(({ action, after, target }) => [action, after, target.id])).toEqual([
      ['user.factor_removed', { factor: 'totp' }, me.user.id],
      ['user.recovery_codes_generated', undefined, me.user.id],
      ['user.factor_added', { factor: 'totp' }, me.user.id],
    ]);
    for (const word of [secret, recoveryCodes[0] ?? ''])
      expect(await tablesThatHold(posthorn.deps.pool, word)).toEqual([]);
  });
});

describe('second steps', () => {
  let owner: { browser: Browser; me: SignedIn };
  let enrolled: Enrolled;
  let organisation: string;
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

  // Regression: a pending second step accepted the code of an app that was added after it had started.
  test('a pending second step ends with the factor that it waits for', async () => {
    const browser = await passed();
    expect((await owner.browser.request('DELETE', '/v1/user/totp')).status).toBe(204);
    const { secret } = await enrolTotp(owner.browser);
    await forgetSteps(posthorn);
    expect((await take(browser, { code: totpCode(secret) })).status).toBe(401);
    expect((await take(await passed(), { code: totpCode(secret) })).status).toBe(200);
  });

  describe('the right password of a user with a second factor', () => {
    test('starts no session, but a pending second step of ten minutes in a cookie that scripts cannot read', async () => {
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

    test('and the code of the app start a session that shows both, and end the step', async () => {
      const browser = await passed();
      const { status, body, cookies } = await take(browser, { code: totpCode(enrolled.secret) });
      expect([status, body.session.provenBy]).toEqual([200, ['password', 'code']]);
      expect(cookies).toContainEqual(expect.stringMatching(/^posthorn-second-step=; Max-Age=0/));
      expect([...browser.jar.keys()].toSorted()).toEqual(['posthorn-device', 'posthorn-session']);
      expect((await browser.request('GET', '/v1/session')).status).toBe(200);
      const again = await browser.request<SignedIn>('POST', '/v1/session/authenticate', { password: OWNER.password });
      expect(again.body.session.provenBy).toEqual(['password', 'code']);
    });

    test('and a recovery code start one, once, however the code is typed', async () => {
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
    test('for a wrong code, an old one, one of the future, and one of another user, and stays for the right one', async () => {
      const other = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'ada@example.com' });
      const foreign = await enrolTotp(other.browser);
      const browser = await passed();
      expect(await refuses(browser, { code: totpCode(enrolled.secret, -4) })).toEqual(REFUSED);
      expect(await refuses(browser, { code: totpCode(enrolled.secret, 20) })).toEqual(REFUSED);
      expect(await refuses(browser, { code: totpCode(foreign.secret, 1) })).toEqual(REFUSED);
      expect(await refuses(browser, { recoveryCode: foreign.recoveryCodes[0] })).toEqual(REFUSED);
      expect((await take(browser, { code: totpCode(enrolled.secret) })).status).toBe(200);
    });

    test('for a code that was used, and every earlier one', async () => {
      const code = totpCode(enrolled.secret, 1);
      const earlier = totpCode(enrolled.secret);
      expect((await take(await passed(), { code })).status).toBe(200);
      expect(await refuses(await passed(), { code })).toEqual(REFUSED);
      expect(await refuses(await passed(), { code: earlier })).toEqual(REFUSED);
    });

    test('without a cookie, with a forged one, and with a used one', async () => {
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

    test('after ten minutes, and its row is deleted with the next one', async () => {
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

    test('once the factor was removed, and once the password was changed', async () => {
      const browser = await passed();
      const change = { password: OWNER.password, newPassword: 'seven lanterns at noon' };
      expect((await owner.browser.request('POST', '/v1/user/password', change)).status).toBe(200);
      expect(await refuses(browser, { code: totpCode(enrolled.secret) })).toEqual(REFUSED);
      const next = await passed({ ...OWNER, password: change.newPassword });
      expect((await owner.browser.request('DELETE', '/v1/user/totp')).status).toBe(204);
      expect(await refuses(next, { code: totpCode(enrolled.secret) })).toEqual(REFUSED);
      expect(await refuses(next, { recoveryCode: enrolled.recoveryCodes[0] })).toEqual(REFUSED);
    });

    test('after five attempts, with the right code and in other browsers too, to anyone who has the password', async () => {
      for (let time = 0; time < 5; time += 1)
        expect((await take(await passed(), { code: totpCode(enrolled.secret, 20) })).status).toBe(401);
      expect(await refuses(await passed(), { code: totpCode(enrolled.secret) })).toEqual([429, 'RATE_LIMITED']);
      await posthorn.deps.pool.query(`UPDATE sign_in_attempts SET ends_at = now() - interval '1 s'`);
      expect((await take(await passed(), { code: totpCode(enrolled.secret) })).status).toBe(200);
    });

    test("never to its user in a known browser because of a stranger's attempts", async () => {
      const known = await passed();
      expect((await take(known, { code: totpCode(enrolled.secret) })).status).toBe(200);
      for (let time = 0; time < 6; time += 1) await take(await passed(), { code: totpCode(enrolled.secret, 20) });
      await known.request('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password });
      expect((await take(known, { code: totpCode(enrolled.secret, 1) })).status).toBe(200);
    });
  });

  describe('twenty at once', () => {
    const twenty = Array.from({ length: 20 });

    test('with one step and one code start exactly one session', async () => {
      const browser = await passed();
      const before = await posthorn.deps.db.session.count();
      const code = totpCode(enrolled.secret);
      const answers = await Promise.all(twenty.map(() => take(browser, { code })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await posthorn.deps.db.session.count()).toBe(before + 1);
    });

    test.each(['useCode', 'useRecoveryCode'] as const)('in two processes use up a code once (%s)', async (use) => {
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

  test('a used code encrypts the secret again, with the current key', async () => {
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
});

describe('lost factors', () => {
  let owner: { browser: Browser; me: SignedIn };
  let enrolled: Enrolled;
  let organisation: string;
  beforeEach(async () => {
    ({ owner, organisation, enrolled } = await setUpWithTotp(posthorn));
  });

  describe('a user who has lost the factor', () => {
    const reset = async (link: string): Promise<void> => {
      const body = { code: codeOf(link), password: 'four quiet harbours' };
      expect((await createBrowser(posthorn).request('POST', '/v1/password-reset', body)).status).toBe(204);
    };

    test('is asked for it after another password too, until an authorised owner removes the factors', async () => {
      const email = 'vera@example.com';
      const vera = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email });
      await enrolTotp(vera.browser);
      const member = `${organisation}/members/${vera.me.user.id}`;
      const { body } = await owner.browser.request<{ link: string }>('POST', `${member}/password-reset`);
      await reset(body.link);
      const step = await passPassword(posthorn, { email, password: 'four quiet harbours' });
      expect((await owner.browser.request('DELETE', `${member}/factors`)).status).toBe(204);
      expect(await posthorn.deps.db.secondStep.count()).toBe(0);
      expect((await step.request('POST', '/v1/sign-in/second-factor', { code: '123456' })).status).toBe(401);
      const again = await step.request<SignedIn>('POST', '/v1/sign-in', { email, password: 'four quiet harbours' });
      expect(again.body.session.provenBy).toEqual(['password']);
      const headers = { 'posthorn-organisation': owner.me.organisations[0]?.id };
      type Entries = { data: { action: string; actor: { id?: string }; target: { id: string } }[] };
      const log = await owner.browser.request<Entries>('GET', '/v1/audit?action=user.factors_removed', undefined, {
        headers,
      });
      expect(log.body.data).toMatchObject([{ actor: { id: owner.me.user.id }, target: { id: vera.me.user.id } }]);
      expect((await owner.browser.request('DELETE', `${member}/factors`)).status).toBe(204);
    });

    test('is protected against admins, and against an owner of one organisation among several', async () => {
      const admin = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'adam@example.com' });
      const own = `${organisation}/members/${owner.me.user.id}/factors`;
      expect((await admin.browser.request('DELETE', own)).status).toBe(403);
      await enrolTotp(admin.browser);
      const { db, newId } = posthorn.deps;
      const foreign = { id: newId('organisation'), name: 'Foreign' };
      await db.organisation.create({ data: foreign });
      await db.member.create({ data: { organisationId: foreign.id, userId: admin.me.user.id, role: 'viewer' } });
      const path = `${organisation}/members/${admin.me.user.id}/factors`;
      expect((await owner.browser.request('DELETE', path)).status).toBe(403);
      expect((await owner.browser.request('DELETE', `${organisation}/members/${newId('user')}/factors`)).status).toBe(
        404,
      );
      expect(await db.totpFactor.count()).toBe(2);
      await db.member.deleteMany({ where: { organisationId: foreign.id } });
    });

    test('is helped on the command line, which removes the factors when told to', async () => {
      const run = (...more: string[]) =>
        runPosthorn(['admin', 'reset-password', OWNER.email, ...more], { DATABASE_URL: posthorn.database.url });
      await reset((await run()).output.trim());
      await passPassword(posthorn, { email: OWNER.email, password: 'four quiet harbours' });
      const link = (await run('--remove-factors')).output.trim();
      // An unused link takes nothing away.
      await passPassword(posthorn, { email: OWNER.email, password: 'four quiet harbours' });
      await reset(link);
      const body = { email: OWNER.email, password: 'four quiet harbours' };
      const { body: signedIn } = await createBrowser(posthorn).request<SignedIn>('POST', '/v1/sign-in', body);
      expect(signedIn.session.provenBy).toEqual(['password']);
      const newest = { where: { action: 'user.factors_removed' }, orderBy: { id: 'desc' } } as const;
      const { entry } = await posthorn.deps.db.auditEntry.findFirstOrThrow(newest);
      expect(JSON.parse(entry)).toMatchObject({ actor: { kind: 'person' }, target: { id: owner.me.user.id } });
    });
  });

  test('an invitation is not accepted with the password alone, but with a session of both factors', async () => {
    const { db, newId } = posthorn.deps;
    const second = { id: newId('organisation'), name: 'Second' };
    await db.organisation.create({ data: second });
    const inviter = await joinAs(posthorn, owner.browser, organisation, { role: 'owner', email: 'ines@example.com' });
    await db.member.create({ data: { organisationId: second.id, userId: inviter.me.user.id, role: 'owner' } });
    const made = await inviter.browser.request<{ link: string }>('POST', `/v1/organisations/${second.id}/invitations`, {
      email: OWNER.email,
      role: 'viewer',
    });
    const code = codeOf(made.body.link);
    const browser = createBrowser(posthorn);
    const refused = await browser.request('POST', '/v1/invitations/accept', { code, password: OWNER.password });
    expect([refused.status, refused.cookies, refused.body]).toMatchObject([
      403,
      [],
      { error: { details: { field: 'password' } } },
    ]);
    await browser.request('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password });
    expect(
      (await browser.request('POST', '/v1/sign-in/second-factor', { code: totpCode(enrolled.secret) })).status,
    ).toBe(200);
    const accepted = await browser.request<SignedIn>('POST', '/v1/invitations/accept', { code });
    expect([accepted.status, accepted.body.organisations.length]).toEqual([200, 2]);
    await db.member.deleteMany({ where: { organisationId: second.id } });
  });
});
