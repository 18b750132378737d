import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { makeSetupCode } from '../../src/identity/accounts/setup.ts';
import { openSetup } from '../../src/process/roles/setup-link.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { tableContents, tablesThatHold } from '../support/check/table-contents.ts';
import { OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  await posthorn.deps.pool.query('TRUNCATE users, one_time_codes CASCADE');
});

const makeCode = (isRenewed = true) => makeSetupCode(posthorn.deps, { isRenewed });
const post = (code: string | undefined, body: object = {}, headers = {}) =>
  createBrowser(posthorn).request<{ error: { code: string; details?: { field: string } } }>(
    'POST',
    '/v1/setup',
    { code, ...OWNER, ...body },
    { headers },
  );
const age = (minutes: number) =>
  posthorn.deps.pool.query('UPDATE one_time_codes SET expires_at = expires_at - make_interval(mins => $1)', [minutes]);
const REFUSED = 'The setup link is not valid, or there is an administrator already';

test('the link makes an owner of the first organisation who is signed in, and neither password nor code is stored', async () => {
  const { browser, me } = await setUp(posthorn);
  expect(me).toMatchObject({
    user: { email: OWNER.email, name: OWNER.name },
    organisations: [{ name: 'Test', role: 'owner', apps: [{ slug: 'test' }] }],
  });
  expect((await browser.request('GET', '/v1/session')).body).toEqual(JSON.parse(JSON.stringify(me)));
  expect(await tablesThatHold(posthorn.deps.pool, OWNER.password)).toEqual([]);
  for (const secret of browser.jar.values()) expect(await tablesThatHold(posthorn.deps.pool, secret)).toEqual([]);
});

test('the first organisation and its app have the names that the administrator gives them', async () => {
  const names = async () => {
    const { name, apps } = await posthorn.deps.db.organisation.findFirstOrThrow({ include: { apps: true } });
    return [name, ...apps.map((app) => [app.name, app.slug])];
  };
  const code = await makeCode();
  for (const body of [{ organisation: '' }, { app: 'x'.repeat(201) }, { organisation: 'a\nb' }, { app: ' ' }]) {
    const { status, body: refusal } = await post(code, body);
    expect([status, refusal.error.details?.field]).toEqual([400, Object.keys(body)[0]]);
  }
  expect(await names()).toEqual(['Test', ['Test', 'test']]);

  try {
    expect((await post(code, { organisation: 'Analytical Engines', app: 'Shop' })).status).toBe(201);
    const finished = await posthorn.deps.db.auditEntry.findFirstOrThrow({
      where: { action: 'setup.finished' },
      orderBy: { id: 'desc' },
    });
    expect(JSON.parse(finished.entry)).toMatchObject({ after: { organisation: 'Analytical Engines', app: 'Shop' } });
    // Its slug stays: addresses name it.
    expect(await names()).toEqual(['Analytical Engines', ['Shop', 'test']]);
  } finally {
    await posthorn.deps.db.organisation.updateMany({ data: { name: 'Test' } });
    await posthorn.deps.db.app.updateMany({ data: { name: 'Test' } });
  }
});

test('each start prints a link until there is an administrator, and the link of an earlier start stays valid', async () => {
  const codes: string[] = [];
  for (let start = 0; start < 3; start += 1)
    codes.push(new URL((await openSetup(posthorn.deps)) ?? '').hash.replace('#code=', ''));
  expect(new Set(codes).size).toBe(3);
  expect((await post(codes[1])).status).toBe(201);
  expect(await openSetup(posthorn.deps)).toBeUndefined();
  for (const code of codes) expect((await post(code, { email: 'other@example.com' })).status).toBe(403);
  expect(await posthorn.deps.db.oneTimeCode.count()).toBe(0);
});

test('the link works once, and setup is closed then even for another link', async () => {
  const code = await makeCode();
  expect((await post(code)).status).toBe(201);
  const before = await tableContents(posthorn.deps.pool);
  const again = await post(code, { email: 'other@example.com' });
  expect([again.status, again.body.error]).toEqual([403, { code: 'FORBIDDEN', message: REFUSED }]);
  expect(await makeCode()).toBeUndefined();
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});

test('a code that expired, was replaced, or never was has one answer', async () => {
  const replaced = await makeCode();
  const expired = await makeCode();
  await age(60);
  for (const code of [replaced, expired, 'x', 'A'.repeat(43), '']) {
    const { status, body } = await post(code);
    expect([code, status, body.error.code]).toEqual(
      code === '' ? [code, 400, 'INVALID_REQUEST'] : [code, 403, 'FORBIDDEN'],
    );
  }
  expect(await posthorn.deps.db.user.count()).toBe(0);
});

test('a link is valid for an hour, and the next one removes those that have expired', async () => {
  const first = await makeCode(false);
  expect(first).toMatch(/^[\w-]{43}$/);
  await age(59);
  const second = await makeCode(false);
  expect(await posthorn.deps.db.oneTimeCode.count()).toBe(2);
  await age(1);
  await makeCode(false);
  expect(await posthorn.deps.db.oneTimeCode.count()).toBe(2);
  expect((await post(first)).status).toBe(403);
  expect((await post(second)).status).toBe(201);
});

test('of requests with valid links at the same moment, one creates the administrator', async () => {
  const [code] = await Promise.all(Array.from({ length: 8 }, () => makeCode(false)));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => post(code, { email: `owner${index}@example.com` })),
  );
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    201, 403, 403, 403, 403, 403, 403, 403,
  ]);
  expect([await posthorn.deps.db.user.count(), await posthorn.deps.db.session.count()]).toEqual([1, 1]);
});

test.each([
  ['password', { password: 'too short' }],
  ['password', { password: 'owner-example-2026' }],
  ['email', { email: 'owner@exämple.com' }],
  ['email', { email: 'owner' }],
  ['name', { name: 'O\u001b[31m' }],
])('a wrong %s is refused and leaves the link good', async (field, body) => {
  const code = await makeCode();
  const { status, body: answer } = await post(code, body);
  expect([status, answer.error.details?.field]).toEqual([400, field]);
  expect((await post(code)).status).toBe(201);
});

test('a page of another site cannot set the service up', async () => {
  const code = await makeCode();
  const { status } = await post(code, {}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' });
  expect(status).toBe(403);
  expect((await post(code)).status).toBe(201);
});

test('over plain http from another machine nobody is set up, unless a setting allows it', async () => {
  const code = await makeCode();
  const strict = posthorn.deps.config.publicBaseUrl;
  expect(strict.startsWith('http://')).toBe(true);
  const visit = { address: '192.0.2.7', host: '192.0.2.1:3000', cookie: [] };
  const refused = createServices(posthorn.deps).accounts.setUp({ code: code ?? '', ...OWNER }, visit);
  await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('needs https') });
  expect(await posthorn.deps.db.user.count()).toBe(0);
  const allowing = { ...posthorn.deps, config: { ...posthorn.deps.config, allowHttpSignIn: true } };
  const { cookies } = await createServices(allowing).accounts.setUp({ code: code ?? '', ...OWNER }, visit);
  expect(cookies[0]).toMatch(/^posthorn-session=/);
});
