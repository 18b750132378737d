import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { URI } from 'otpauth';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { enrolTotp, totpCode } from '../support/make/factors.ts';
import { joinAs, OWNER, refusalOf, setUpAnew, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let browser: Browser;
let organisation: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
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
  test('is given its secret once, as a text and as a URI for a QR code, and the secret is sealed', async () => {
    const { secret, uri } = await makeSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const read = URI.parse(uri);
    expect(read).toMatchObject({ issuer: 'Posthorn', label: OWNER.email, digits: 6, period: 30, algorithm: 'SHA1' });
    expect(read.secret.base32).toBe(secret);
    expect(await tablesThatHold(posthorn.deps.pool, secret)).toEqual([]);
    const { ciphertext } = await posthorn.deps.db.totpFactor.findFirstOrThrow();
    expect(ciphertext).toMatch(/^v1\.test\./);
  });

  test('asks for nothing before its first code, and gives ten recovery codes with it', async () => {
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

  test('is not begun by a wrong code, by one of another time, or by one of a secret that was replaced', async () => {
    const { secret: replaced } = await makeSecret();
    const { secret } = await makeSecret();
    for (const code of [totpCode(replaced), totpCode(secret, -4), totpCode(secret, 20)])
      expect(await refusesCode(code)).toEqual([401, 'UNAUTHORIZED']);
    expect((await confirm('12345')).body.error.details?.field).toBe('code');
    expect((await confirm(totpCode(secret).replace(/^.../, '$& '))).status).toBe(200);
  });

  test('is not begun without a secret, by one that was left for a quarter of an hour, or a second time', async () => {
    expect(await refusesCode('123456')).toEqual([409, 'CONFLICT']);
    const { secret } = await makeSecret();
    await posthorn.deps.pool.query(`UPDATE totp_factors SET created_at = created_at - interval '16 minutes'`);
    expect(await refusesCode(totpCode(secret))).toEqual([409, 'CONFLICT']);
    const again = await makeSecret();
    expect((await confirm(totpCode(again.secret))).status).toBe(200);
    expect(await refusesCode(totpCode(again.secret, 1))).toEqual([409, 'CONFLICT']);
    expect(await refuses('POST', '/v1/user/totp')).toEqual([409, 'CONFLICT']);
  });

  test('is begun by no sixth try within a quarter of an hour, right or wrong', async () => {
    const { secret } = await makeSecret();
    for (let time = 0; time < 5; time += 1) expect((await confirm(totpCode(secret, 20))).status).toBe(401);
    expect(await refusesCode(totpCode(secret))).toEqual([429, 'RATE_LIMITED']);
  });

  test('belongs to its person: no code of another one begins it', async () => {
    const other = await joinAs(posthorn, browser, organisation, { role: 'viewer', email: 'other@example.com' });
    const { secret } = await makeSecret(other.browser);
    await makeSecret();
    expect(await refusesCode(totpCode(secret))).toEqual([401, 'UNAUTHORIZED']);
    expect((await confirm(totpCode(secret), other.browser)).status).toBe(200);
    expect(await factors()).toEqual({ isAsked: false, passkeys: 0, recoveryCodes: 0 });
  });

  test('is removed by its person alone, with its recovery codes', async () => {
    expect(await refuses('DELETE', '/v1/user/totp')).toEqual([404, 'NOT_FOUND']);
    await enrolTotp(browser);
    expect((await browser.request('DELETE', '/v1/user/totp')).status).toBe(204);
    expect(await factors()).toEqual({ isAsked: false, passkeys: 0, recoveryCodes: 0 });
    expect((await signIn(posthorn, OWNER)).me.user.email).toBe(OWNER.email);
  });

  test('is refused to a person without a password, for whom an identity provider answers', async () => {
    await posthorn.deps.db.user.updateMany({ data: { passwordHash: null } });
    expect(await refuses('POST', '/v1/user/totp')).toEqual([409, 'CONFLICT']);
  });
});

test.each([
  ['POST', '/v1/user/totp', undefined],
  ['POST', '/v1/user/totp/confirm', { code: '123456' }],
  ['DELETE', '/v1/user/totp', undefined],
  ['POST', '/v1/user/recovery-codes', undefined],
])('%s %s wants a person who has just proven who they are', async (method, path, body) => {
  await enrolTotp(browser);
  await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes'`);
  expect(await refuses(method, path, body)).toEqual([403, 'FORBIDDEN']);
});

test('recovery codes are made anew in the place of all earlier ones, once there is a factor', async () => {
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

test('the audit log tells of factors and recovery codes, without them', async () => {
  const { secret, recoveryCodes } = await enrolTotp(browser);
  const { body: me } = await browser.request<SignedIn>('GET', '/v1/session');
  await browser.request('POST', '/v1/user/recovery-codes');
  await browser.request('DELETE', '/v1/user/totp');
  const headers = { 'posthorn-organisation': me.organisations[0]?.id };
  type Entries = { data: { action: string; target: { id: string }; after?: object }[] };
  const { body } = await browser.request<Entries>('GET', '/v1/audit?limit=3', undefined, { headers });
  expect(body.data.map(({ action, after, target }) => [action, after, target.id])).toEqual([
    ['user.factor_removed', { factor: 'totp' }, me.user.id],
    ['user.recovery_codes_made', undefined, me.user.id],
    ['user.factor_added', { factor: 'totp' }, me.user.id],
  ]);
  for (const word of [secret, recoveryCodes[0] ?? ''])
    expect(await tablesThatHold(posthorn.deps.pool, word)).toEqual([]);
});
