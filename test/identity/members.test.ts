import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Member } from '../../src/identity/members/schema.ts';
import type { Role } from '../../src/caller/roles.ts';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tableContents, tablesThatHold } from '../support/check/table-contents.ts';
import { codeOf, joinAs, OWNER, refusalOf, setUpAnew, signIn } from '../support/make/people.ts';
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
type Invited = { id: string; link: string };
const invite = (by: Browser, email: string, role: Role) =>
  by.request<Invited & Refusal>('POST', `${organisation}/invitations`, { email, role });
const accept = (code: string, body: object = {}, browser = createBrowser(posthorn)) =>
  browser.request<SignedIn & Refusal>('POST', '/v1/invitations/accept', { code, ...body });
const join = (role: Role, email = `${role}@example.com`) =>
  joinAs(posthorn, owner.browser, organisation, { role, email });
const rolesNow = async () =>
  new Map((await posthorn.deps.db.member.findMany()).map(({ userId, role }) => [userId, role]));
const refused = (by: Browser, method: string, path: string, body?: unknown) =>
  refusalOf(posthorn, by, [method, `${organisation}${path}`, body]);
const newcomer = { name: 'Nora', password: 'seven lanterns at noon' };

describe('an invitation', () => {
  test('makes its person a member with the role that it shows, once, and its code is stored nowhere', async () => {
    const { status, body } = await invite(owner.browser, 'Nora@Example.com', 'developer');
    expect([status, body]).toMatchObject([
      201,
      { email: 'nora@example.com', role: 'developer', invitedBy: owner.me.user.id },
    ]);
    const code = codeOf(body.link);
    expect(await tablesThatHold(posthorn.deps.pool, code)).toEqual([]);
    const look = await createBrowser(posthorn).request('POST', '/v1/invitations/look', { code });
    expect(look.body).toMatchObject({
      organisation: { name: 'Test' },
      email: 'nora@example.com',
      role: 'developer',
      hasAccount: false,
    });
    const joined = await accept(code, newcomer);
    expect([joined.status, joined.body]).toMatchObject([
      200,
      { user: { email: 'nora@example.com' }, organisations: [{ role: 'developer' }] },
    ]);
    expect([(await accept(code, newcomer)).status, (await rolesNow()).size]).toEqual([403, 2]);
    expect((await signIn(posthorn, { email: 'nora@example.com', password: newcomer.password })).me.user.name).toBe(
      'Nora',
    );
  });

  test('asks one who has an account for its password, or for being signed in with it', async () => {
    const nora = await join('viewer', 'nora@example.com');
    const { db, newId } = posthorn.deps;
    const otherId = newId('organisation');
    await db.organisation.create({ data: { id: otherId, name: 'Foreign' } });
    await db.member.create({ data: { organisationId: otherId, userId: owner.me.user.id, role: 'owner' } });
    const inviteThere = async () => {
      const sent = { email: 'nora@example.com', role: 'admin' };
      return codeOf(
        (await owner.browser.request<Invited>('POST', `/v1/organisations/${otherId}/invitations`, sent)).body.link,
      );
    };
    const code = await inviteThere();
    expect((await accept(code)).status).toBe(400);
    expect((await accept(code, newcomer)).status).toBe(401);
    expect((await accept(code, {}, owner.browser)).status).toBe(400);
    const before = await tableContents(posthorn.deps.pool);
    expect(before['members']?.rows).toBe(3);
    expect((await accept(code, { password: nora.password })).body.organisations).toHaveLength(2);
    await db.member.deleteMany({ where: { organisationId: otherId, userId: nora.me.user.id } });
    expect((await accept(await inviteThere(), {}, nora.browser)).body.organisations).toHaveLength(2);
    await db.member.deleteMany({ where: { organisationId: otherId } });
  });

  // The old mechanism: accepting began a new session, which was as fresh as one that a password begins.
  test('makes the session of one who accepts with it alone no fresher, and gives it another secret', async () => {
    const nora = await join('viewer', 'nora@example.com');
    const { db, newId, pool } = posthorn.deps;
    const otherId = newId('organisation');
    await db.organisation.create({ data: { id: otherId, name: 'Foreign' } });
    await db.member.create({ data: { organisationId: otherId, userId: owner.me.user.id, role: 'owner' } });
    const path = `/v1/organisations/${otherId}/invitations`;
    const sent = { email: 'nora@example.com', role: 'admin' };
    const code = codeOf((await owner.browser.request<Invited>('POST', path, sent)).body.link);
    const where = { id: nora.me.session.id };
    await pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE id = $1`, [where.id]);
    const [before, secret] = [await db.session.findUniqueOrThrow({ where }), nora.browser.jar.get('posthorn-session')];
    const { status, body } = await accept(code, {}, nora.browser);
    expect([status, body.session.id]).toEqual([200, where.id]);
    expect(nora.browser.jar.get('posthorn-session')).not.toBe(secret);
    const after = await db.session.findUniqueOrThrow({ where });
    expect(after.authenticatedAt).toEqual(before.authenticatedAt);
    const refusal = await nora.browser.request<Refusal>('POST', path, { ...sent, email: 'else@example.com' });
    expect([refusal.status, refusal.body.error.message]).toEqual([403, expect.stringContaining('authenticate')]);
    await db.member.deleteMany({ where: { organisationId: otherId } });
  });

  test('ends by its time, by being revoked, and by a new one for the same address', async () => {
    const first = codeOf((await invite(owner.browser, 'nora@example.com', 'admin')).body.link);
    const second = await invite(owner.browser, 'nora@example.com', 'viewer');
    expect((await accept(first, newcomer)).status).toBe(403);
    const { body } = await owner.browser.request<{ data: Invited[] }>('GET', `${organisation}/invitations`);
    expect(body.data).toMatchObject([{ id: second.body.id, role: 'viewer' }]);
    expect(JSON.stringify(body)).not.toContain('link');
    const path = `${organisation}/invitations/${second.body.id}`;
    expect((await owner.browser.request('DELETE', path)).status).toBe(204);
    expect((await owner.browser.request('DELETE', path)).status).toBe(404);
    expect((await accept(codeOf(second.body.link), newcomer)).status).toBe(403);
    const third = codeOf((await invite(owner.browser, 'nora@example.com', 'viewer')).body.link);
    await posthorn.deps.pool.query(`UPDATE invitations SET expires_at = expires_at - interval '72 hours'`);
    expect((await accept(third, newcomer)).status).toBe(403);
    for (const code of ['x', 'A'.repeat(43)])
      expect((await createBrowser(posthorn).request('POST', '/v1/invitations/look', { code })).status).toBe(403);
    expect((await rolesNow()).size).toBe(1);
  });

  // The old mechanism: the account was made before the invitation was used up, so that its address was taken and the answer a CONFLICT.
  test('that is accepted several times at once makes one member, and the others learn that it was used', async () => {
    const code = codeOf((await invite(owner.browser, 'nora@example.com', 'viewer')).body.link);
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(code, newcomer)));
    const late = answers.filter(({ status }) => status !== 200);
    expect(late).toHaveLength(4);
    for (const { status, body } of late)
      expect([status, body.error.message]).toEqual([403, expect.stringContaining('it was used or revoked')]);
    expect([await posthorn.deps.db.user.count(), (await rolesNow()).size]).toEqual([2, 2]);
  });

  test('is made by admins, who give no more than their own role, and for nobody who is a member already', async () => {
    const [admin, developer, viewer] = [await join('admin'), await join('developer'), await join('viewer')];
    const body = (role: Role) => ({ email: 'nora@example.com', role });
    expect(await refused(admin.browser, 'POST', '/invitations', body('owner'))).toEqual([403, 'FORBIDDEN']);
    for (const { browser } of [developer, viewer]) {
      expect(await refused(browser, 'POST', '/invitations', body('viewer'))).toEqual([403, 'FORBIDDEN']);
      expect(await refused(browser, 'GET', '/invitations')).toEqual([403, 'FORBIDDEN']);
    }
    expect((await invite(admin.browser, 'nora@example.com', 'admin')).status).toBe(201);
    const byOwner = await invite(owner.browser, 'second@example.com', 'owner');
    expect(await refused(admin.browser, 'DELETE', `/invitations/${byOwner.body.id}`)).toEqual([403, 'FORBIDDEN']);
    const again = { email: 'viewer@example.com', role: 'viewer' };
    expect(await refused(owner.browser, 'POST', '/invitations', again)).toEqual([409, 'CONFLICT']);
  });

  // The old mechanism: a new invitation deleted the earlier one of its address, whatever role that gave, and told nobody.
  test('is replaced by those alone who may revoke it, and the audit log tells that it ended', async () => {
    const admin = await join('admin');
    const email = 'nora@example.com';
    const byOwner = await invite(owner.browser, email, 'owner');
    expect(await refused(admin.browser, 'POST', '/invitations', { email, role: 'viewer' })).toEqual([403, 'FORBIDDEN']);
    const second = await invite(owner.browser, email, 'viewer');
    await posthorn.deps.pool.query(`UPDATE invitations SET expires_at = expires_at - interval '72 hours'`);
    expect((await invite(admin.browser, email, 'viewer')).status).toBe(201);
    const where = { targetId: { in: [byOwner.body.id, second.body.id] }, action: 'invitation.revoked' };
    const entries = await posthorn.deps.db.auditEntry.findMany({ where });
    expect(entries).toMatchObject([{ actorId: owner.me.user.id, targetId: byOwner.body.id }]);
  });

  test('stays when another organisation invites the same address, whatever role it gives', async () => {
    const { db, newId } = posthorn.deps;
    const [organisationId, id, email] = [newId('organisation'), newId('invitation'), 'both@example.com'];
    const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) };
    await db.organisation.create({ data: { id: organisationId, name: 'Foreign' } });
    const foreign = { id, organisationId, email, role: 'owner', invitedBy: newId('user'), ...times };
    await db.invitation.create({ data: { ...foreign, hash: new Uint8Array(32) } });
    expect((await invite((await join('admin')).browser, email, 'viewer')).status).toBe(201);
    expect(await db.invitation.count({ where: { id } })).toBe(1);
    expect(await db.auditEntry.count({ where: { targetId: id } })).toBe(0);
  });
});

describe('a member', () => {
  test('is seen by every member, and by nobody else', async () => {
    const viewer = await join('viewer');
    const { body } = await viewer.browser.request<{ data: Member[] }>('GET', `${organisation}/members`);
    expect(body.data.map(({ email, role }) => [email, role])).toEqual([
      ['viewer@example.com', 'viewer'],
      [OWNER.email, 'owner'],
    ]);
    await posthorn.deps.db.member.deleteMany({ where: { userId: viewer.me.user.id } });
    const missing = `/v1/organisations/${posthorn.deps.newId('organisation')}`;
    for (const path of [organisation, missing, '/v1/organisations/x']) {
      for (const rest of ['members', 'invitations']) {
        const answer = await viewer.browser.request<Refusal>('GET', `${path}/${rest}`);
        expect([answer.status, answer.body.error.message]).toEqual([404, 'No such organisation of yours']);
      }
    }
  });

  test('that belongs to another organisation is not listed, and its invitation not revoked', async () => {
    const { db, newId } = posthorn.deps;
    const [organisationId, userId, id] = [newId('organisation'), newId('user'), newId('invitation')];
    await db.organisation.create({ data: { id: organisationId, name: 'Foreign' } });
    await db.user.create({ data: { id: userId, email: 'else@example.com', name: 'Else' } });
    await db.member.create({ data: { organisationId, userId, role: 'owner' } });
    const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) };
    const foreign = { id, organisationId, email: 'nora@example.com', role: 'viewer', invitedBy: userId, ...times };
    await db.invitation.create({ data: { ...foreign, hash: new Uint8Array(32) } });
    const { body } = await owner.browser.request<{ data: Member[] }>('GET', `${organisation}/members`);
    expect(body.data.map((member) => member.userId)).toEqual([owner.me.user.id]);
    const open = await owner.browser.request<{ data: Invited[] }>('GET', `${organisation}/invitations`);
    expect(open.body.data).toEqual([]);
    expect(await refused(owner.browser, 'DELETE', `/invitations/${id}`)).toEqual([404, 'NOT_FOUND']);
    expect(await refused(owner.browser, 'DELETE', `/members/${userId}`)).toEqual([404, 'NOT_FOUND']);
  });

  test('gets another role from an admin, which ends their sessions', async () => {
    const [admin, viewer] = [await join('admin'), await join('viewer')];
    const path = `${organisation}/members/${viewer.me.user.id}`;
    const { body: shown } = await owner.browser.request<{ data: Member[] }>('GET', `${organisation}/members`);
    const member = shown.data.find(({ userId }) => userId === viewer.me.user.id);
    const same = await admin.browser.request('PATCH', path, member);
    expect([same.status, same.body]).toEqual([200, member]);
    expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(200);
    expect((await admin.browser.request('PATCH', path, { role: 'developer' })).body).toMatchObject({
      role: 'developer',
    });
    expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(401);
    expect((await rolesNow()).get(viewer.me.user.id)).toBe('developer');
  });

  test('touches no role that is not theirs to touch', async () => {
    const [admin, developer, viewer] = [await join('admin'), await join('developer'), await join('viewer')];
    const pathOf = (of: { me: SignedIn }) => `/members/${of.me.user.id}`;
    const cases: [Browser, string, string, object?][] = [
      [admin.browser, 'PATCH', pathOf(owner), { role: 'viewer' }],
      [admin.browser, 'DELETE', pathOf(owner)],
      [admin.browser, 'PATCH', pathOf(admin), { role: 'owner' }],
      [admin.browser, 'PATCH', pathOf(viewer), { role: 'owner' }],
      [admin.browser, 'POST', '/ownership', { userId: admin.me.user.id }],
      [admin.browser, 'POST', `${pathOf(viewer)}/password-reset`],
      [developer.browser, 'PATCH', pathOf(developer), { role: 'admin' }],
      [developer.browser, 'DELETE', pathOf(viewer)],
      [viewer.browser, 'PATCH', pathOf(viewer), { role: 'developer' }],
    ];
    for (const [by, method, path, body] of cases)
      expect([method, path, await refused(by, method, path, body)]).toEqual([method, path, [403, 'FORBIDDEN']]);
    const missing = `/members/${posthorn.deps.newId('user')}`;
    expect(await refused(admin.browser, 'DELETE', missing)).toEqual([404, 'NOT_FOUND']);
  });

  test('leaves by themselves, and is removed by an admin; their rights end with the next request', async () => {
    const [admin, viewer] = [await join('admin'), await join('viewer')];
    expect((await viewer.browser.request('DELETE', `${organisation}/members/${viewer.me.user.id}`)).status).toBe(204);
    expect((await viewer.browser.request('GET', `${organisation}/members`)).status).toBe(404);
    const developer = await join('developer');
    const path = `${organisation}/members/${developer.me.user.id}`;
    expect((await admin.browser.request('DELETE', path)).status).toBe(204);
    expect((await developer.browser.request('GET', `${organisation}/members`)).status).toBe(404);
    expect((await admin.browser.request('DELETE', path)).status).toBe(404);
  });

  test('who is the last owner stays, also when two owners leave at the same moment', async () => {
    const self = `/members/${owner.me.user.id}`;
    expect(await refused(owner.browser, 'DELETE', self)).toEqual([409, 'CONFLICT']);
    expect(await refused(owner.browser, 'PATCH', self, { role: 'admin' })).toEqual([409, 'CONFLICT']);
    const second = await join('owner', 'second@example.com');
    const answers = await Promise.all([
      owner.browser.request('DELETE', `${organisation}${self}`),
      second.browser.request('DELETE', `${organisation}/members/${second.me.user.id}`),
    ]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([204, 409]);
    expect([...(await rolesNow()).values()]).toEqual(['owner']);
  });

  test('takes the ownership over; the one before is an admin, in a session with another secret', async () => {
    const viewer = await join('viewer');
    const before = owner.browser.jar.get('posthorn-session');
    const sent = { userId: viewer.me.user.id };
    expect((await owner.browser.request('POST', `${organisation}/ownership`, sent)).body).toMatchObject({
      role: 'owner',
    });
    expect(Object.fromEntries(await rolesNow())).toEqual({ [viewer.me.user.id]: 'owner', [owner.me.user.id]: 'admin' });
    expect(owner.browser.jar.get('posthorn-session')).not.toBe(before);
    expect((await owner.browser.request('GET', '/v1/session')).status).toBe(200);
    expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(401);
    expect(await refused(owner.browser, 'POST', '/ownership', sent)).toEqual([403, 'FORBIDDEN']);
  });

  test('is not touched by one who has not given the password lately', async () => {
    const viewer = await join('viewer');
    await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes'`);
    const path = `/members/${viewer.me.user.id}`;
    expect(await refused(owner.browser, 'DELETE', path)).toEqual([403, 'FORBIDDEN']);
    expect(await refused(owner.browser, 'PATCH', path, { role: 'admin' })).toEqual([403, 'FORBIDDEN']);
    expect(await refused(owner.browser, 'POST', `${path}/password-reset`)).toEqual([403, 'FORBIDDEN']);
    expect(await refused(owner.browser, 'POST', '/ownership', { userId: 'x' })).toEqual([403, 'FORBIDDEN']);
    const sent = { email: 'nora@example.com', role: 'viewer' };
    expect(await refused(owner.browser, 'POST', '/invitations', sent)).toEqual([403, 'FORBIDDEN']);
  });
});
