import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { type Enrolled, enrolTotp, setUpWithTotp, totpCode } from '../support/make/factors.ts';
import { codeOf, joinAs, OWNER, passPassword } from '../support/make/people.ts';
import { runPosthorn } from '../support/service/command-line.ts';
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

describe('a person who has lost the factor', () => {
  const reset = async (link: string): Promise<void> => {
    const body = { code: codeOf(link), password: 'four quiet harbours' };
    expect((await createBrowser(posthorn).request('POST', '/v1/password-reset', body)).status).toBe(204);
  };

  test('is asked for it after another password too, until an owner who may give one takes the factors away', async () => {
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

  test('keeps them against admins, and against an owner of one organisation among several', async () => {
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

  test('is helped on the command line, which takes the factors away when it is told to', async () => {
    const run = (...more: string[]) =>
      runPosthorn(['admin', 'reset-password', OWNER.email, ...more], { DATABASE_URL: posthorn.database.url });
    await reset((await run()).output.trim());
    await passPassword(posthorn, { email: OWNER.email, password: 'four quiet harbours' });
    const link = (await run('--remove-factors')).output.trim();
    // A link that nobody uses takes nothing from anybody.
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

test('an invitation is not accepted with the password alone, and with the session of both factors it is', async () => {
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
  expect((await browser.request('POST', '/v1/sign-in/second-factor', { code: totpCode(enrolled.secret) })).status).toBe(
    200,
  );
  const accepted = await browser.request<SignedIn>('POST', '/v1/invitations/accept', { code });
  expect([accepted.status, accepted.body.organisations.length]).toEqual([200, 2]);
  await db.member.deleteMany({ where: { organisationId: second.id } });
});
