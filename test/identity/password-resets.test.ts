import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/caller/roles.ts';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { codeOf, joinAs, OWNER, refusalOf, setUpAnew, signIn } from '../support/make/people.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let organisation: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
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
  expect([last.exitCode, last.errors]).toEqual([1, expect.stringContaining('The last owner stays')]);
  // Old: without --organisation the oldest one was meant, whoever's it was.
  const { db, newId } = posthorn.deps;
  const { id } = await db.organisation.create({ data: { id: newId('organisation'), name: 'Second' } });
  for (const command of [['list'], ['invite', 'max@example.com', '--role', 'viewer'], ['remove', OWNER.email]]) {
    const several = await run('members', ...command);
    expect([several.exitCode, several.output]).toEqual([1, '']);
    expect(several.errors).toMatch(/several organisations, such as .* and .*: name one with --organisation/);
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
