import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import type { Role } from '../../src/kernel/words/rights.ts';
import { makeSetupCode } from '../../src/identity/people/accounts/one-time-codes.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { openSetup } from '../../src/process/roles/setup-link.ts';
import { tableContents, tablesThatHold } from '../support/check/table-contents.ts';
import { codeOf, joinAs, OWNER, refusalOf, setUp, setUpAnew, signIn } from '../support/make/people.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import { type MailServer, startMailServer } from '../support/world/mail-server.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('setup', () => {
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
    posthorn.deps.pool.query('UPDATE one_time_codes SET expires_at = expires_at - make_interval(mins => $1)', [
      minutes,
    ]);
  const REFUSED = 'The setup link is not valid, or there already is an administrator';

  test('the link creates an owner of the first organisation who is signed in, and neither password nor code is stored', async () => {
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
    await expect(refused).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('requires https'),
    });
    expect(await posthorn.deps.db.user.count()).toBe(0);
    const allowing = { ...posthorn.deps, config: { ...posthorn.deps.config, allowHttpSignIn: true } };
    const { cookies } = await createServices(allowing).accounts.setUp({ code: code ?? '', ...OWNER }, visit);
    expect(cookies[0]).toMatch(/^posthorn-session=/);
  });
});

describe('password resets', () => {
  let owner: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeEach(async () => {
    ({ owner, organisation } = await setUpAnew(posthorn));
  });

  type Refusal = { error: { code: string; message: string; details?: { field: string } } };
  const join = (role: Role) => joinAs(posthorn, owner.browser, organisation, { role, email: `${role}@example.com` });
  const refused = (by: Browser, method: string, path: string, body?: unknown) =>
    refusalOf(posthorn, by, [method, `${organisation}${path}`, body]);

  // First: another organisation that has an audit log stays.
  test('the command line lists, invites and removes members, and resets passwords', async () => {
    const run = (...parameters: string[]) => runPosthorn(parameters, { DATABASE_URL: posthorn.database.url });
    const listed = await run('members', 'list');
    expect(listed.output).toMatch(/^Organisation Test \(org_\w+\)\nUSER/);
    expect(listed.output).toContain(OWNER.email);
    const invited = await run('members', 'invite', 'nora@example.com', '--role', 'owner');
    expect(invited.errors).toMatch(/^Invitation to the organisation Test \(org_\w+\):\n$/);
    const newcomer = { code: codeOf(invited.output.trim()), name: 'Nora', password: 'seven lanterns at noon' };
    expect((await createBrowser(posthorn).request('POST', '/v1/invitations/accept', newcomer)).status).toBe(200);
    const link = await run('admin', 'reset-password', 'nora@example.com');
    const body = { code: codeOf(link.output.trim()), password: 'four quiet harbours' };
    expect((await createBrowser(posthorn).request('POST', '/v1/password-reset', body)).status).toBe(204);
    await signIn(posthorn, { email: 'nora@example.com', password: 'four quiet harbours' });
    const removed = await run('members', 'remove', 'nora@example.com');
    expect(removed.output).toMatch(/^Removed nora@example\.com from the organisation Test \(org_\w+\)\n$/);
    const last = await run('members', 'remove', OWNER.email);
    expect([last.exitCode, last.errors]).toEqual([1, expect.stringContaining('The last owner cannot leave')]);
    // Regression: without --organisation the oldest one was meant, whoever's it was.
    const { db, newId } = posthorn.deps;
    const { id } = await db.organisation.create({ data: { id: newId('organisation'), name: 'Second' } });
    for (const command of [['list'], ['invite', 'max@example.com', '--role', 'viewer'], ['remove', OWNER.email]]) {
      const several = await run('members', ...command);
      expect([several.exitCode, several.output]).toEqual([1, '']);
      expect(several.errors).toMatch(/several organisations, such as .* and .*; choose one with --organisation/);
    }
    expect((await run('members', 'list', '--organisation', id)).output).toMatch(/^Organisation Second /);
    await db.organisation.delete({ where: { id } });
    for (const wrong of [
      ['invite', 'x', '--role', 'viewer'],
      ['remove', 'nobody@example.com'],
      ['list', '--organisation', 'x'],
    ])
      expect([wrong, (await run('members', ...wrong)).exitCode]).toEqual([wrong, 1]);
  });

  describe('a link that resets a password', () => {
    const reset = (code: string, password = 'four quiet harbours') =>
      createBrowser(posthorn).request<Refusal>('POST', '/v1/password-reset', { code, password });

    test('works once, ends all sessions, and signs nobody in', async () => {
      const viewer = await join('viewer');
      const path = `${organisation}/members/${viewer.me.user.id}/password-reset`;
      const { status, body } = await owner.browser.request<{ link: string }>('POST', path);
      const code = codeOf(body.link);
      expect([status, await tablesThatHold(posthorn.deps.pool, code)]).toEqual([201, []]);
      expect((await reset(code, 'password1234')).status).toBe(400);
      const done = await reset(code);
      expect([done.status, done.cookies]).toEqual([204, []]);
      expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(401);
      expect((await reset(code)).status).toBe(403);
      await signIn(posthorn, { email: 'viewer@example.com', password: 'four quiet harbours' });
      const { status: old } = await createBrowser(posthorn).request('POST', '/v1/sign-in', {
        email: 'viewer@example.com',
        password: viewer.password,
      });
      expect(old).toBe(401);
    });

    test('ends after 30 minutes, and with a new one', async () => {
      const viewer = await join('viewer');
      const path = `${organisation}/members/${viewer.me.user.id}/password-reset`;
      const make = async () => codeOf((await owner.browser.request<{ link: string }>('POST', path)).body.link);
      const [first, second] = [await make(), await make()];
      expect((await reset(first)).status).toBe(403);
      await posthorn.deps.pool.query(`UPDATE one_time_codes SET expires_at = expires_at - interval '30 minutes'`);
      expect((await reset(second)).status).toBe(403);
      await signIn(posthorn, { email: 'viewer@example.com', password: viewer.password });
    });

    // A password opens every organisation of its person: an owner of one could enter another one by it.
    test('is not made for a member of an organisation that the owner does not own', async () => {
      const viewer = await join('viewer');
      const { db, newId } = posthorn.deps;
      const other = { id: newId('organisation'), name: 'Foreign' };
      await db.organisation.create({ data: other });
      await db.member.create({ data: { organisationId: other.id, userId: viewer.me.user.id, role: 'viewer' } });
      const path = `/members/${viewer.me.user.id}/password-reset`;
      expect(await refused(owner.browser, 'POST', path)).toEqual([403, 'FORBIDDEN']);
      await db.member.create({ data: { organisationId: other.id, userId: owner.me.user.id, role: 'admin' } });
      expect(await refused(owner.browser, 'POST', path)).toEqual([403, 'FORBIDDEN']);
      await db.member.updateMany({ where: { organisationId: other.id, role: 'admin' }, data: { role: 'owner' } });
      expect((await owner.browser.request('POST', `${organisation}${path}`)).status).toBe(201);
      await db.member.deleteMany({ where: { organisationId: other.id } });
    });
  });
});

describe('mail', () => {
  let server: MailServer;
  let posthorn: TestPosthorn | undefined;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterEach(() => posthorn?.stop());
  afterAll(() => server.close());

  type Made = { id: string; link: string; isMailed: boolean };

  /** A service that mails by this URL, with its owner signed in. */
  async function start(smtpUrl: string | undefined) {
    const variables = smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl, MAIL_FROM: 'Posthorn <posthorn@example.com>' };
    posthorn = await startPosthorn({ withWorker: false, variables });
    const { browser, me } = await setUp(posthorn);
    const organisation = `/v1/organisations/${me.organisations[0]?.id}`;
    const invite = (email: string) =>
      browser.request<Made>('POST', `${organisation}/invitations`, { email, role: 'viewer' });
    return { posthorn, browser, organisation, invite };
  }

  /** The first link of a mail, whose long lines are broken by `=` (RFC 2045 §6.7). */
  const linkIn = (text: string): string =>
    /http\S+#code=[\w-]+/.exec(text.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0] ?? '';

  test('links reach their person by mail, and that person alone', async () => {
    const { posthorn: service, browser, organisation, invite } = await start(`${server.url}?requireTLS=false`);
    const { status, body } = await invite('nora@example.com');
    expect([status, body.isMailed]).toEqual([201, true]);
    expect(server.mails).toMatchObject([{ from: 'posthorn@example.com', to: ['nora@example.com'] }]);
    expect(linkIn(server.mails[0]?.text ?? '')).toBe(body.link);
    const viewer = await joinAs(service, browser, organisation, { role: 'viewer', email: 'viewer@example.com' });
    const path = `${organisation}/members/${viewer.me.user.id}/password-reset`;
    const reset = await browser.request<Made>('POST', path);
    expect([reset.status, reset.body.isMailed]).toEqual([201, true]);
    const mail = server.mails.at(-1);
    expect(mail?.to).toEqual(['viewer@example.com']);
    const sent = { code: codeOf(linkIn(mail?.text ?? '')), password: 'four quiet harbours' };
    expect((await createBrowser(service).request('POST', '/v1/password-reset', sent)).status).toBe(204);
  });

  test('an address that is a list of addresses is refused', async () => {
    const { invite } = await start(`${server.url}?requireTLS=false`);
    const before = server.mails.length;
    for (const email of [
      'a@example.com,b@example.com',
      'evil,nora@example.com',
      '<nora@example.com>',
      'n <nora@example.com>',
    ])
      expect([email, (await invite(email)).status]).toEqual([email, 400]);
    expect(server.mails).toHaveLength(before);
  });

  test.each([
    ['is away', async () => `smtp://127.0.0.1:${await findFreePort()}`],
    ['has no TLS, which the URL does not allow', async () => server.url],
    ['knows another password', async () => `${server.url.replace('secret', 'wrong')}?requireTLS=false`],
  ])('a mail server that %s leaves the link to be handed over, and sends nothing', async (_, urlOf) => {
    const { posthorn: service, invite } = await start(await urlOf());
    const before = server.mails.length;
    const { status, body } = await invite('nora@example.com');
    expect([status, body.isMailed, server.mails.length]).toEqual([201, false, before]);
    const sent = { code: codeOf(body.link), name: 'Nora', password: 'seven lanterns at noon' };
    expect((await createBrowser(service).request('POST', '/v1/invitations/accept', sent)).status).toBe(200);
  });

  test('without a mail server the link is only shown', async () => {
    const { invite } = await start(undefined);
    expect((await invite('nora@example.com')).body.isMailed).toBe(false);
  });
});

describe('views', () => {
  type View = { id: string; page: string; name: string; search: Record<string, string>; updatedAt: string };
  type Refusal = { error: { code: string; message: string; details?: { field: string } } };

  let browser: Browser;
  let me: SignedIn;
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE users, invitations CASCADE');
    ({ browser, me } = await setUp(posthorn));
  });

  const VIEW = { page: 'deliveries', name: 'Failed at the till', search: { status: 'failed', since: '24h' } };
  const save = (body: object = VIEW, by = browser) => by.request<View & Refusal>('POST', '/v1/views', body);
  const list = async (by = browser): Promise<View[]> =>
    (await by.request<{ data: View[] }>('GET', '/v1/views?limit=100')).body.data;

  test('a view is saved, found again, changed and deleted, by its person alone', async () => {
    const { status, body: view } = await save();
    expect([status, view]).toEqual([
      201,
      { ...VIEW, id: expect.stringMatching(/^viw_/), createdAt: view.updatedAt, updatedAt: expect.any(String) },
    ]);
    expect(await list()).toEqual([view]);
    const { browser: other } = await joinAs(posthorn, browser, `/v1/organisations/${me.organisations[0]?.id}`, {
      role: 'viewer',
      email: 'other@example.com',
    });
    expect(await list(other)).toEqual([]);
    const path = `/v1/views/${view.id}`;
    for (const [method, sent] of [
      ['PATCH', { name: 'mine' }],
      ['DELETE', undefined],
    ] as const)
      expect((await other.request(method, path, sent)).status).toBe(404);

    const search = { status: 'retrying' };
    const changed = await browser.request<View>('PATCH', path, { ...view, name: 'Again', search });

    expect([changed.status, changed.body]).toEqual([
      200,
      { ...view, name: 'Again', search, updatedAt: expect.any(String) },
    ]);
    expect(await list()).toEqual([changed.body]);
    expect((await browser.request('DELETE', path)).status).toBe(204);
    expect((await browser.request('DELETE', path)).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  test('a page has each name once, and another page or person may have it too', async () => {
    const { body: first } = await save();
    const { body: second } = await save({ ...VIEW, name: 'Other' });
    expect(await save()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    const renamed = await browser.request<Refusal>('PATCH', `/v1/views/${second.id}`, { name: first.name });
    expect([renamed.status, renamed.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await browser.request('PATCH', `/v1/views/${first.id}`, { name: first.name })).status).toBe(200);
    expect((await save({ ...VIEW, page: 'runs' })).status).toBe(201);
  });

  test('each list of the dashboard that has filters takes a view, and a name once', async () => {
    const pages = ['subscriptions', 'audit', 'inspected-requests', 'message-replays'];
    for (const page of pages) expect((await save({ ...VIEW, page })).body).toMatchObject({ page, name: VIEW.name });
    expect((await save({ ...VIEW, page: 'audit' })).body.error.code).toBe('CONFLICT');
    expect((await list()).map(({ page }) => page)).toEqual(pages.toReversed());
  });

  test('a person has 100 views at most, however many are saved at once', async () => {
    const { rows } = await posthorn.deps.pool.query<{ id: string }>('SELECT id FROM users');
    await posthorn.deps.pool.query(
      `INSERT INTO views (id, user_id, page, name, search, created_at, updated_at)
     SELECT posthorn_id('viw'), $1, 'runs', n::text, '{}', now(), now() FROM generate_series(1, 98) AS n`,
      [rows[0]?.id],
    );
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => save({ ...VIEW, name })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409]);
    expect(await list()).toHaveLength(100);
  });

  test.each([
    ['page', { page: 'members' }],
    ['name', { name: ' ' }],
    ['name', { name: 'a\u0007' }],
    ['name', { name: 'x'.repeat(61) }],
    ['search', { search: [] }],
    ['search["Bad-name"]', { search: { 'Bad-name': 'x' } }],
    ['search.status', { search: { status: '' } }],
    ['search.status', { search: { status: 'x'.repeat(501) } }],
    ['search', { search: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x'])) }],
  ])('a view with a wrong %s is refused: %j', async (field, wrong) => {
    const { status, body } = await save({ ...VIEW, ...wrong });
    expect([status, body.error.code, body.error.details?.field]).toEqual([400, 'INVALID_REQUEST', field]);
    expect(await list()).toEqual([]);
  });
});
